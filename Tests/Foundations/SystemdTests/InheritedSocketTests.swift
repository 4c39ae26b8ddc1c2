import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(2)))
struct InheritedSocketTests {
    @Test("sockets are identified by their names, in order") func names() {
        let environment = ["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "broker::authority"]
        #expect(
            InheritedSocket.announced(in: environment, pid: 42) == [
                InheritedSocket(name: "broker", descriptor: 3),
                InheritedSocket(name: "unknown", descriptor: 4),
                InheritedSocket(name: "authority", descriptor: 5),
            ]
        )
    }

    @Test("sockets without names are called unknown") func unnamed() {
        let sockets = InheritedSocket.announced(in: ["LISTEN_PID": "42", "LISTEN_FDS": "1"], pid: 42)
        #expect(sockets == [InheritedSocket(name: "unknown", descriptor: 3)])
    }

    @Test(
        "variables for another process, or with an invalid count, announce no sockets",
        arguments: [
            [:], ["LISTEN_FDS": "1"], ["LISTEN_PID": "41", "LISTEN_FDS": "1"], ["LISTEN_PID": "42"],
            ["LISTEN_PID": "42", "LISTEN_FDS": "0"], ["LISTEN_PID": "42", "LISTEN_FDS": "-1"],
            ["LISTEN_PID": "42", "LISTEN_FDS": "289"], ["LISTEN_PID": "42", "LISTEN_FDS": "x"],
        ]
    )
    func refused(_ environment: [String: String]) {
        #expect(InheritedSocket.announced(in: environment, pid: 42).isEmpty)
    }
}
