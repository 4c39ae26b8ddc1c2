import Localization
import OAuth

/// A page that says what happened, with links to go on; it asks for nothing.
public struct NoticePage: Sendable {
    /// The event that the page tells of.
    public enum Notice: Hashable, Sendable {
        /// The person is signed out of the authority in this browser.
        case signedOut
        /// A device may go on.
        case deviceConnected
        /// A device, or a program of a terminal, was turned away.
        case turnedAway
        /// The flow of a terminal was answered; the terminal goes on.
        case backToTerminal
        /// The browser is on its way to a provider outside; the link leads there.
        case leaving(provider: String)
        /// The person is signed out here, and the browser is on its way to the provider outside that signed them in; the
        /// link leads there.
        case signingOut(provider: String)
        /// The browser is on its way back to a client, whose page the link leads to.
        case returning(client: String)
        /// A budget of attempts is used up.
        case blocked(seconds: Int)
    }

    /// The event that the page tells of.
    public let notice: Notice
    /// The address of the first thing to do, if there is one: signing in again, trying again.
    public let again: String?
    /// The client's address to return to, and its name or host, if there is one.
    public let back: Link?

    /// An address with the words to show for it.
    public struct Link: Hashable, Sendable {
        /// The address.
        public let address: String
        /// The name or host to show.
        public let name: String

        /// An address with the words to show for it.
        public init(address: String, name: String) {
            self.address = address
            self.name = name
        }
    }

    /// A page that says what happened.
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
        case .leaving, .signingOut: "providers.name"
        case .signedOut, .deviceConnected, .turnedAway, .backToTerminal, .returning, .blocked: "notice.back"
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
