import Localization
import OAuth

/// A page that reports an event and has links to continue, but no form.
public struct NoticePage: Sendable {
    /// An event that the page can report.
    public enum Notice: Hashable, Sendable {
        /// The user is signed out of the authority in this browser.
        case signedOut
        /// A device was approved.
        case deviceConnected
        /// The user denied the request of a device, a terminal or a client.
        case turnedAway
        /// The user completed a flow that was started from a terminal, and the terminal continues.
        case backToTerminal
        /// The browser is being redirected to an external provider, to which the page also links.
        case leaving(provider: String)
        /// The user is signed out locally, and the browser is being redirected to the provider that signed in the user.
        case signingOut(provider: String)
        /// The browser is being redirected to a client, to which the page also links.
        case returning(client: String)
        /// The user must wait because too many attempts failed.
        case blocked(seconds: Int)
    }

    /// The event that the page reports.
    public let notice: Notice
    /// The address for signing in again or trying again, or `nil` to omit the link.
    public let again: String?
    /// The link to the client or provider, or `nil` if there is none.
    public let back: Link?

    /// A link with an address and a name to display.
    public struct Link: Hashable, Sendable {
        /// The address of the link.
        public let address: String
        /// The name or host to display.
        public let name: String

        /// Creates a link.
        public init(address: String, name: String) {
            self.address = address
            self.name = name
        }
    }

    /// Creates a notice page.
    public init(_ notice: Notice, again: String? = nil, back: Link? = nil) {
        self.notice = notice
        self.again = again
        self.back = back
    }
}

extension NoticePage: PageFace {
    static var template: String { "notice" }

    var icon: Icon? {
        switch notice {
        case .signedOut, .signingOut, .deviceConnected, .backToTerminal: .check
        case .turnedAway: .cancel
        case .blocked: .clock
        case .leaving, .returning: nil
        }
    }

    var tone: String? {
        switch notice {
        case .signedOut, .signingOut, .deviceConnected, .backToTerminal: "good"
        case .blocked: "warn"
        case .turnedAway, .leaving, .returning: "plain"
        }
    }

    func title(_ texts: PageTexts) -> String { texts.text("\(key).title", values) }

    func lead(_ texts: PageTexts) -> Markup? { Markup(texts, "\(key).lead", values) }

    func content(_ frame: PageFrame) -> [String: TemplateValue] {
        let texts = frame.texts
        return [
            "again": .text(again),
            "againLabel": .text(texts.text(texts.sentence("\(key).again") == nil ? "error.again" : "\(key).again")),
            "back": .text(back?.address),
            "backLabel": .text(back.map { texts.text(backKey, ["name": $0.name]) }),
            "hint": texts.sentence("\(key).hint").map { .text($0) } ?? false,
        ]
    }

    private var backKey: String {
        switch notice {
        case .leaving: "providers.name"
        case .signingOut: "signingOut.action"
        case .signedOut, .returning: "notice.continue"
        case .deviceConnected, .turnedAway, .backToTerminal, .blocked: "notice.back"
        }
    }

    private var key: String {
        switch notice {
        case .leaving: "leaving"
        case .signingOut: "signingOut"
        case .returning: "returning"
        case .signedOut: "signedOut"
        case .deviceConnected: "deviceConnected"
        case .turnedAway: "turnedAway"
        case .backToTerminal: "backToTerminal"
        case .blocked: "blocked"
        }
    }

    private var values: [String: String] {
        switch notice {
        case .blocked(let seconds): ["seconds": "\(seconds)"]
        case .leaving(let name), .signingOut(let name), .returning(let name): ["name": name]
        case .signedOut, .deviceConnected, .turnedAway, .backToTerminal: [:]
        }
    }
}
