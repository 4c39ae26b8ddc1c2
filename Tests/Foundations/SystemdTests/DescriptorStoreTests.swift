import Foundation
import Glibc
import TestSupport
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct DescriptorStoreTests {
    let folder: TemporaryFolder
    let manager: NotifySocket
    let notifier: ServiceNotifier

    init() throws {
        folder = try TemporaryFolder()
        manager = NotifySocket(folder.path("notify"))
        notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.path])
    }

    @Test("a stored secret is returned unchanged, and its descriptor is closed") func roundTrip() throws {
        let store = DescriptorStore(notifier: notifier)
        #expect(store.keep(Data("planted".utf8), named: "vault-7"))
        #expect(try #require(manager.next()).lines == ["FDSTOREREMOVE=1", "FDNAME=vault-7"])
        let message = try #require(manager.next())
        #expect(message.lines == ["FDSTORE=1", "FDNAME=vault-7"])
        let descriptor = try #require(message.descriptor)
        var inherited = [
            InheritedSocket(name: "broker", descriptor: 998), InheritedSocket(name: "vault-7", descriptor: descriptor),
        ]
        let kept = DescriptorStore.take("vault-", from: &inherited)
        #expect(kept.map(\.name) == ["vault-7"])
        #expect(kept.first?.content == Data("planted".utf8))
        #expect(inherited.map(\.name) == ["broker"])
        #expect(fcntl(descriptor, F_GETFD) == -1, "closed")
    }

    @Test("a stored secret cannot be changed, and no child process inherits it") func sealed() throws {
        DescriptorStore(notifier: notifier).keep(Data("planted".utf8), named: "vault-7")
        _ = manager.next()
        let descriptor = try #require(manager.next()?.descriptor)
        defer { close(descriptor) }
        #expect(write(descriptor, "x", 1) == -1)
        #expect(ftruncate(descriptor, 0) == -1)
        // 1034 is F_GET_SEALS. The lowest four bits forbid more seals, shrinking, growing and writing (fcntl(2)).
        #expect(fcntl(descriptor, 1034) & 15 == 15)
    }

    @Test(
        "a descriptor that is not sealed memory is closed without being read",
        arguments: ["socket", "file", "pipe", "long"]
    )
    func foreign(_ kind: String) throws {
        var descriptor: Int32 = -1
        var other: Int32 = -1
        switch kind {
        case "socket": descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        case "file":
            try "planted".write(toFile: folder.path("file"), atomically: true, encoding: .utf8)
            descriptor = open(folder.path("file"), O_RDWR)
        case "pipe":
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            (descriptor, other) = (ends[0], ends[1])
        default:
            let content = Data(count: DescriptorStore.contentLimit + 1)
            DescriptorStore(notifier: notifier).keep(content, named: "vault-7")
            _ = manager.next()
            descriptor = try #require(manager.next()?.descriptor)
        }
        defer { if other >= 0 { close(other) } }
        try #require(descriptor >= 0)
        var inherited = [InheritedSocket(name: "vault-7", descriptor: descriptor)]
        #expect(DescriptorStore.take("vault-", from: &inherited).map(\.content) == [nil])
        #expect(inherited.isEmpty)
        #expect(fcntl(descriptor, F_GETFD) == -1)
    }

    @Test(
        "the number of descriptors is limited, including those of the previous process, and removing one frees a place"
    ) func bound() throws {
        let names = Set((1..<DescriptorStore.limit).map { "vault-\($0)" })
        let store = DescriptorStore(notifier: notifier, keeping: names)
        #expect(store.keep(Data([1]), named: "vault-a"))
        #expect(store.keep(Data([2]), named: "vault-a"), "again in its place")
        #expect(!store.keep(Data([1]), named: "vault-b"))
        store.forget("vault-1")
        #expect(store.keep(Data([1]), named: "vault-b"))
        var seen: [[String]] = []
        while let message = manager.next(within: 0) {
            seen.append(message.lines)
            if let descriptor = message.descriptor { close(descriptor) }
        }
        #expect(seen.contains(["FDSTOREREMOVE=1", "FDNAME=vault-1"]))
        #expect(seen.last == ["FDSTORE=1", "FDNAME=vault-b"])
    }

    @Test("without a service manager nothing is stored") func nobody() {
        #expect(!DescriptorStore(notifier: ServiceNotifier(environment: [:])).keep(Data([1]), named: "vault-7"))
    }
}
