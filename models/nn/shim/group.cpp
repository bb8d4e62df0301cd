// Ranks that meet at c10d's TCPStore and send each other tensors by c10d's Gloo, which tch does not reach.
// models/nn/src/group.rs is the other side; the two declare the same interface.

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "message.h"

namespace {

using at::Tensor;
using c10d::ProcessGroupGloo;
using std::chrono::milliseconds;

struct Store {
  c10::intrusive_ptr<c10d::TCPStore> root;
  c10::intrusive_ptr<c10d::Store> store;
};

struct Group {
  c10::intrusive_ptr<ProcessGroupGloo> gloo;
  // Several threads send and receive; c10d numbers what they start without a lock.
  std::mutex starting;
};

c10::intrusive_ptr<c10d::Work> send(Group* group, const Tensor* tensor, int peer, int tag) {
  std::vector<Tensor> one{*tensor};
  std::lock_guard<std::mutex> guard(group->starting);
  return group->gloo->send(one, peer, tag);
}

c10::intrusive_ptr<c10d::Work> receive(Group* group, const Tensor* tensor, int peer, int tag) {
  std::vector<Tensor> one{*tensor};
  std::lock_guard<std::mutex> guard(group->starting);
  return group->gloo->recv(one, peer, tag);
}

}  // namespace

extern "C" {

// What is kept under a prefix in the store at an address. Port 0 serves at a free one.
char* posenc_store(const char* host, uint16_t port, bool serves, const char* prefix, uint64_t timeout_ms, Store** store) {
  return message_of([&] {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.isServer = serves;
    options.waitWorkers = false;
    options.timeout = milliseconds(timeout_ms);
    auto root = c10::make_intrusive<c10d::TCPStore>(host, options);
    *store = new Store{root, c10::make_intrusive<c10d::PrefixStore>(prefix, root)};
  });
}

char* posenc_store_set(Store* store, const char* key, const char* text) {
  return message_of([&] { store->store->set(key, std::vector<uint8_t>(text, text + strlen(text))); });
}

// Waits until the key has a text, which is for posenc_free_message.
char* posenc_store_get(Store* store, const char* key, char** text) {
  return message_of([&] {
    std::vector<uint8_t> bytes = store->store->get(key);
    *text = strdup(std::string(bytes.begin(), bytes.end()).c_str());
  });
}

uint16_t posenc_store_port(Store* store) noexcept { return store->root->getPort(); }

void posenc_store_drop(Store* store) noexcept { delete store; }

// Joins as `rank` of `size`. Connections are made at the address of an interface or of a host name, where one is not null.
char* posenc_group(Store* store, int rank, int size, const char* interface, const char* host, uint64_t timeout_ms,
                   Group** group) {
  return message_of([&] {
    auto options = ProcessGroupGloo::Options::create(milliseconds(timeout_ms));
    options->threads = 1;
    options->devices.push_back(interface != nullptr ? ProcessGroupGloo::createDeviceForInterface(interface)
                               : host != nullptr    ? ProcessGroupGloo::createDeviceForHostname(host)
                                                    : ProcessGroupGloo::createDefaultDevice());
    auto joined = std::make_unique<Group>();
    joined->gloo = c10::make_intrusive<ProcessGroupGloo>(store->store, rank, size, options);
    *group = joined.release();
  });
}

char* posenc_group_send(Group* group, const Tensor* tensor, int peer, int tag, uint64_t timeout_ms) {
  return message_of([&] { send(group, tensor, peer, tag)->wait(milliseconds(timeout_ms)); });
}

char* posenc_group_receive(Group* group, const Tensor* tensor, int peer, int tag, uint64_t timeout_ms) {
  return message_of([&] { receive(group, tensor, peer, tag)->wait(milliseconds(timeout_ms)); });
}

// Sends one tensor while another comes from the same peer.
char* posenc_group_exchange(Group* group, const Tensor* out, const Tensor* in, int peer, int tag, uint64_t timeout_ms) {
  return message_of([&] {
    auto received = receive(group, in, peer, tag);
    auto sent = send(group, out, peer, tag);
    received->wait(milliseconds(timeout_ms));
    sent->wait(milliseconds(timeout_ms));
  });
}

void posenc_group_drop(Group* group) noexcept { delete group; }

// Makes a GPU the current one of this thread, for models/nn/src/group/nccl.rs.
char* posenc_use_gpu(int index) {
  return message_of([&] {
    const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
    c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
  });
}
}
