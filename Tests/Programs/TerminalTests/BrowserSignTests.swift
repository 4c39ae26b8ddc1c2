import ArgumentParser
import FlowModel
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(1)))
struct BrowserSignTests {
    private static let link = BrowserPlace(url: "https://login.example/local/flow/x", words: ["lunar", "otter"])
    private static let typed = place("https://login.example")

    private static func place(_ base: String) -> BrowserPlace {
        BrowserPlace(
            url: "\(base)/device?user_code=WDJB-MJHT",
            words: ["lunar", "otter"],
            code: .init(userCode: "WDJB-MJHT", page: "\(base)/device")
        )
    }

    /// Returns the lines that belong to the QR code.
    private static func picture(_ lines: [String]) -> [String] { lines.filter { $0.contains("\u{1B}") } }

    @Test("a code to type is shown with its page, the QR code and the two words") func typed() throws {
        let lines = BrowserSign(place: Self.typed, hasDesktop: true, columns: 80).lines
        #expect(lines.first == "Open https://login.example/device on any device, and type this code: WDJB-MJHT")
        #expect(lines.last == "If the page asks for two words, type these words: lunar otter")
        #expect(!Self.picture(lines).isEmpty)
    }

    @Test(
        "an address that only this machine reaches has no QR code and sends no other device there",
        arguments: ["http://localhost:8420", "http://127.0.0.1:8420", "http://[::1]:8420"]
    )
    func loopback(_ base: String) {
        let lines = BrowserSign(place: Self.place(base), hasDesktop: false, columns: 80).lines
        #expect(
            lines == [
                "Open \(base)/device in a browser on this machine, and type this code: WDJB-MJHT",
                "If the page asks for two words, type these words: lunar otter",
            ]
        )
        let link = BrowserPlace(url: "\(base)/local/flow/x", words: ["lunar", "otter"])
        #expect(Self.picture(BrowserSign(place: link, hasDesktop: false, columns: 80).lines).isEmpty)
    }

    @Test("a link is shown as a QR code only if no desktop opens it") func link() {
        #expect(Self.picture(BrowserSign(place: Self.link, hasDesktop: true, columns: 80).lines).isEmpty)
        let lines = BrowserSign(place: Self.link, hasDesktop: false, columns: 80).lines
        #expect(lines.first == "Sign in with a browser: https://login.example/local/flow/x")
        #expect(!Self.picture(lines).isEmpty)
    }

    @Test("no QR code is shown in a file or in a terminal that is too narrow", arguments: [nil, 20])
    func narrow(_ columns: Int?) {
        #expect(Self.picture(BrowserSign(place: Self.typed, hasDesktop: false, columns: columns).lines).isEmpty)
    }

    @Test("text from a daemon cannot control the terminal") func hostile() {
        let place = BrowserPlace(url: "http://x/\u{1B}[2J", words: ["a\u{9B}"])
        let lines = BrowserSign(place: place, hasDesktop: true, columns: nil).lines
        #expect(!lines.joined().unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" })
    }

    @Test(
        "one line names the user whose browser opened the link",
        arguments: [
            (LinkOpener.user(uid: 1003, name: "carl"), "The link was opened by carl (uid 1003)"),
            (.user(uid: 1003, name: nil), "The link was opened by uid 1003"),
            (.address("192.0.2.7"), "The link was opened from 192.0.2.7"),
            (.user(uid: 1, name: "a\n\u{1B}[2Jb"), "The link was opened by a \u{FFFD}[2Jb (uid 1)"),
        ]
    )
    func opened(_ opener: LinkOpener, _ line: String) {
        #expect(BrowserSign.line(about: opener) == "\(line). If you did not expect this, press Ctrl-C.")
    }

    @Test("--browser and --device together are an error") func both() throws {
        let error = #expect(throws: (any Error).self) { try BrowserOption.parse(["--browser", "--device"]) }
        #expect(error.map(BrowserOption.exitCode(for:)) == .validationFailure)
        #expect(error.map { BrowserOption.message(for: $0).contains("--device") } == true)
        #expect(try BrowserOption.parse(["--device"]).mode == .device)
        #expect(try BrowserOption.parse(["--browser"]).mode == .browser)
        #expect(try BrowserOption.parse([]).mode == .native)
    }
}
