// LibTorch ships c10d's headers without those of Gloo, which they include. The files of this folder declare what they need.
#pragma once
