import Moments
import OAuth
import TestSupport
import Testing

@testable import Terminal

@Suite(.serialized, .timeLimit(.minutes(1)))
struct TerminalDeviceTests {
    @Test("a line is returned without its line break, and editing keys work") func line() async throws {
        let terminal = try PseudoTerminal()
        async let answer = terminal.program.ask("Name: ", echo: true)
        let shown = await terminal.shows("Name: ")
        #expect(shown.hasSuffix("Name: "))
        terminal.type("Anm\u{7F}n\n")
        let typed = try await answer.reveal()
        #expect(typed == "Ann")
    }

    @Test("a secret is not echoed, and the terminal is restored afterwards") func secret() async throws {
        let terminal = try PseudoTerminal()
        async let answer = terminal.program.ask("Password: ", echo: false)
        _ = await terminal.shows("Password: ")
        #expect(!terminal.echoes)
        terminal.type("s3cret word\n")
        let typed = try await answer.reveal()
        #expect(typed == "s3cret word")
        let shown = await terminal.shows("\r\n")
        #expect(!shown.contains("s3cret"))
        #expect(terminal.echoes)
        #expect(terminal.signals)
    }

    @Test("Ctrl-C and Ctrl-D cancel, and restore the terminal", arguments: ["\u{3}", "abc\u{3}", "\u{4}"])
    func interrupted(_ keys: String) async throws {
        let terminal = try PseudoTerminal()
        let asking = Task { try await terminal.program.ask("Password: ", echo: false) }
        _ = await terminal.shows("Password: ")
        terminal.type(keys)
        await #expect(throws: CommandFailure.cancelled) { try await asking.value }
        #expect(terminal.echoes)
        #expect(terminal.signals)
    }

    @Test("a cancelled prompt restores the terminal") func cancelled() async throws {
        let terminal = try PseudoTerminal()
        let asking = Task { try await terminal.program.ask("Password: ", echo: false) }
        _ = await terminal.shows("Password: ")
        asking.cancel()
        await #expect(throws: CommandFailure.cancelled) { try await asking.value }
        #expect(terminal.echoes)
    }

    @Test("a prompt ends when its step expires") func deadline() async throws {
        let terminal = try PseudoTerminal()
        let time = TestClock()
        let deadline = Deadline(.seconds(120), after: time.now)
        let asking = Task {
            try await terminal.program.ask("Code: ", echo: true, until: deadline, clock: time.clock)
        }
        _ = await terminal.shows("Code: ")
        time.advance(by: .seconds(121))
        let error = await #expect(throws: CommandFailure.self) { try await asking.value }
        #expect(error?.reason == "expired")
    }

    /// The ways in which a prompt can end.
    enum WayOut: CaseIterable, Sendable {
        case deadline, cancelled, interrupted, answered
    }

    @Test("unread input is discarded on every exit", arguments: WayOut.allCases, [false, true])
    func leftover(_ way: WayOut, echo: Bool) async throws {
        let terminal = try PseudoTerminal()
        let time = TestClock()
        let deadline = Deadline(.seconds(120), after: time.now)
        let asking = Task {
            try await terminal.program.ask("Password: ", echo: echo, until: deadline, clock: time.clock)
        }
        _ = await terminal.shows("Password: ")
        switch way {
        case .deadline:
            terminal.type("half-typed s3cret")
            terminal.arrive()
            time.advance(by: .seconds(121))
        case .cancelled:
            terminal.type("half-typed s3cret")
            terminal.arrive()
            asking.cancel()
        case .interrupted: terminal.type("first\u{3}second half")
        case .answered: terminal.type("s3cret\nrm -rf everything\nand half")
        }
        switch await asking.result {
        case .success(let answer):
            let typed = answer.reveal()
            #expect(way == .answered && typed == "s3cret")
        case .failure(let error): #expect(way != .answered && error is CommandFailure)
        }
        #expect(terminal.leftover() == "")
        #expect(terminal.echoes && terminal.signals)
    }

    @Test("a terminal without a prompt keeps unread input, so the test above can detect it") func kept() throws {
        let terminal = try PseudoTerminal()
        terminal.type("half-typed")
        #expect(terminal.leftover() == "half-typed")
    }

    @Test(
        "the markers of a bracketed paste are not part of an answer",
        arguments: [
            ("\u{1B}[200~s3cret word\u{1B}[201~\n", "s3cret word"), ("a\u{1B}[200~b\u{1B}[201~c\n", "abc"),
            ("\u{1B}[200~first\nsecond\u{1B}[201~\n", "first"), ("\u{1B}[201~[200~\n", "[200~"),
        ]
    )
    func pasted(_ keys: String, _ answer: String) async throws {
        let terminal = try PseudoTerminal()
        async let asked = terminal.program.ask("Password: ", echo: false)
        _ = await terminal.shows("Password: ")
        terminal.type(keys)
        let typed = try await asked.reveal()
        #expect(typed == answer)
        #expect(terminal.leftover() == "")
    }
}
