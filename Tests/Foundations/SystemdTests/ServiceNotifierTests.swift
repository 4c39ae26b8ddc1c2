import Glibc
import Moments
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ServiceNotifierTests {
    @Test("the service manager receives the state in its protocol") func messages() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notify")
        let listener = try datagramSocket(at: path)
        defer { close(listener) }
        let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": path])

        notifier.ready(status: "two\nlines")
        #expect(receive(listener) == "READY=1\nSTATUS=two lines")
        notifier.reloading(at: Moment(wall: 1, boot: 7, bootID: "b"))
        #expect(receive(listener) == "RELOADING=1\nMONOTONIC_USEC=7000")
        notifier.aliveAndWell()
        #expect(receive(listener) == "WATCHDOG=1")
        notifier.stopping()
        #expect(receive(listener) == "STOPPING=1")
    }

    @Test("without a manager nothing happens") func alone() {
        ServiceNotifier(environment: [:]).ready()
        ServiceNotifier(environment: ["NOTIFY_SOCKET": "/nonexistent/socket"]).ready()
    }

    @Test(
        "the watchdog is notified twice per period, and only for this process",
        arguments: [
            (["WATCHDOG_USEC": "30000000"], Duration.seconds(15)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"], nil),
            (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
        ] as [([String: String], Duration?)]
    )
    func watchdog(environment: [String: String], interval: Duration?) {
        #expect(ServiceNotifier(environment: environment).watchdogInterval == interval)
    }

    private func datagramSocket(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        return descriptor
    }

    private func receive(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
