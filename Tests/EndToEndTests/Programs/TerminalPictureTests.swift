import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of the QR code that `sign-in` shows at a terminal, so that a phone can open the page.
@Suite(.timeLimit(.minutes(3)))
struct TerminalPictureTests {
    /// Returns a machine that other devices can reach by a host name through a proxy.
    private func machine() throws -> Machine {
        let machine = try Machine()
        try machine.write(
            [
                "issuerBase: https://login.example", "behindProxy: true", "listen: [\"127.0.0.1:\(machine.port)\"]",
                "log: {level: debug, format: text}",
            ],
            to: "etc/tokenbrokerd.yaml"
        )
        return machine
    }

    @Test(
        "a terminal shows a QR code beside the address if a phone can reach it and there is space",
        arguments: [("--device", 100, true), ("--browser", 100, true), ("--device", 30, false)]
    )
    func picture(_ option: String, _ columns: Int, _ isShown: Bool) async throws {
        let machine = try machine()
        let daemon = try machine.startBroker()
        defer {
            daemon.signal(SIGTERM)
            daemon.wait()
        }
        var environment = machine.environment
        // On a desktop the command opens the link directly and shows no QR code.
        for name in ["DISPLAY", "WAYLAND_DISPLAY"] { environment[name] = nil }
        environment["AT_TERMINAL_COLUMNS"] = "\(columns)"
        let terminal = try BuiltProgram(path: "/usr/bin/python3").start(
            [
                ProjectFolder.path + "/scripts/at-terminal", "--", BuiltProgram("tokenbroker").url.path, "sign-in",
                option,
            ],
            environment: environment
        )
        // A narrow terminal shows the sentence on several lines.
        try await waitUntil("the command shows the words") {
            terminal.output().split { $0.isWhitespace }.joined(separator: " ").contains("these words: ")
        }
        let shown = terminal.output()
        let words = shown.split { $0.isWhitespace }.joined(separator: " ")
        #expect(
            words.contains(
                option == "--device"
                    ? "Open https://login.example/device on any device" : "https://login.example/local/flow/"
            )
        )
        // The QR code is dark on light, whatever colors the terminal has.
        let rows = shown.split(separator: "\n").filter { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") }
        #expect(rows.isEmpty != isShown && shown.contains("█") == isShown, "\(shown)")
        #expect(Set(rows.map { $0.count { "█▀▄ ".contains($0) } }).count == (isShown ? 1 : 0))

        let connection = try machine.connect()
        let flows = try #require(try connection.call("flow.list")["flows"]?.array)
        _ = try connection.call("flow.cancel", ["flow": try #require(flows.first?["id"])])
        #expect(terminal.wait() != 0)
    }
}
