// Ranks that meet at c10d's TCPStore and send each other tensors by c10d's Gloo, which tch does not reach.
// models/nn/src/group.rs is the other side; the two declare the same interface.

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "message.h"

#ifndef SOCK_CLOEXEC
#define SOCK_CLOEXEC 0  // macOS
#endif

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

struct Freed {
  void operator()(addrinfo* addresses) const noexcept { freeaddrinfo(addresses); }
};

using Addresses = std::unique_ptr<addrinfo, Freed>;

// Null where there are none.
Addresses addresses_of(const char* host, uint16_t port, int flags) {
  addrinfo wanted{};
  wanted.ai_flags = flags | AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host, std::to_string(port).c_str(), &wanted, &found);
  return Addresses(error == 0 ? found : nullptr);
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24 == 127;
  }
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr) != 0;
}

// The addresses to listen at: a numeric host's, localhost's, or that of a name with one address. Null where other machines may
// resolve the name differently: it has several addresses, or a loopback (Debian maps a machine's own name to 127.0.1.1).
Addresses agreed_addresses(const char* host, uint16_t port) {
  if (Addresses number = addresses_of(host, port, AI_NUMERICHOST)) return number;
  Addresses all = addresses_of(host, port, 0);
  if (strcmp(host, "localhost") == 0) return all;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    const bool same =
        one->ai_addrlen == all->ai_addrlen && memcmp(one->ai_addr, all->ai_addr, one->ai_addrlen) == 0;
    if (!same || is_loopback(one->ai_addr)) return nullptr;
  }
  return all;
}

// A socket that listens at a host's address only, or -1: ranks may disagree about it, or this machine does not have it.
int listener(const char* host, uint16_t port) {
  const Addresses all = agreed_addresses(host, port);
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    const int made = ::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    // A run that starts again finds connections of the last one.
    const int yes = 1;
    if (made >= 0 && ::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
        ::bind(made, one->ai_addr, one->ai_addrlen) == 0 && ::listen(made, SOMAXCONN) == 0) {
      return made;
    }
    const int error = errno;
    if (made >= 0) ::close(made);
    if (error != EADDRNOTAVAIL && error != EAFNOSUPPORT) {
      const std::string at = std::string(host) + ", port " + std::to_string(port);
      throw std::system_error(error, std::generic_category(), "The server socket has failed to listen on " + at);
    }
  }
  return -1;
}

// The inode of an open socket, which identifies it after its descriptor was reused; 0 if it is closed.
ino_t number_of(int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 && S_ISSOCK(found.st_mode) ? found.st_ino : 0;
}

c10::intrusive_ptr<c10d::TCPStore> served(const char* host, c10d::TCPStoreOptions options) {
  const int socket = listener(host, options.port);
  if (socket < 0) return c10::make_intrusive<c10d::TCPStore>(host, options);
  const ino_t number = number_of(socket);
  options.masterListenFd = socket;
  try {
    return c10::make_intrusive<c10d::TCPStore>(host, options);
  } catch (...) {
    // c10d closes the socket unless it failed before it took ownership.
    if (number != 0 && number_of(socket) == number) ::close(socket);
    throw;
  }
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
    auto root = serves ? served(host, options) : c10::make_intrusive<c10d::TCPStore>(host, options);
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
