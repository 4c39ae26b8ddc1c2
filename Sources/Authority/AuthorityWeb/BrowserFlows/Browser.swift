import Crypto
public import FlowModel
import Foundation
public import OAuth

/// A browser, as one of its requests shows it.
public struct Browser: Sendable {
    /// The values of its flow cookie; a service at another port of the same host may have added one.
    public let cookies: [Secret]
    /// The values of its form cookie, which the page has set where the code of a device is typed.
    public let forms: [Secret]
    /// The value of its session cookie.
    public let session: Secret?
    /// The value of its device cookie, by which it is known again where a second factor was proved.
    public let device: Secret?
    /// The place it calls from.
    public let origin: Origin
    /// The id that page, log and audit share.
    public let correlationID: CorrelationID

    /// The owner of the browser's sessions; nil without a session cookie.
    var owner: Owner? { session.map(owner) }

    /// An owner that nobody else is.
    static var fresh: Owner { .browser(session: Handle.hash(Handle.random())) }

    /// The owner of what a cookie of this browser stands for.
    func owner(_ cookie: Secret) -> Owner { .browser(session: hash(cookie)) }

    /// SHA-256 of a cookie of this browser, in base64url; with its uid where the kernel names it.
    ///
    /// Cookies do not tell the ports of a host apart (RFC 6265bis §8.5): a service of another uid at another port of this
    /// machine reads and sets them. One that another uid shows is another cookie.
    func hash(_ cookie: Secret) -> String {
        guard case .local = origin else { return Handle.hash(cookie) }
        return Handle.hash(Secret("\(origin.key)\u{1F}\(cookie.reveal())"))
    }

    /// True if it has the cookie with this hash.
    func holds(_ hash: String) -> Bool { cookies.contains { Secret(self.hash($0)) == Secret(hash) } }

    /// A call of this browser on behalf of an owner.
    func caller(_ owner: Owner) -> Caller {
        var caller = Caller(owner: owner, origin: origin, correlationID: correlationID)
        caller.presentation = caller.presentation.inBrowser
        caller.cookieOwner = self.owner
        return caller
    }
}

extension Browser {
    /// A call of this browser that answers the flow of a ticket.
    func caller(_ ticket: Ticket) -> Caller {
        var caller = caller(ticket.owner)
        caller.ticket = ticket.hash
        return caller
    }
}

/// A random text that stands for something in an address or a cookie; stores keep only its hash.
enum Handle {
    /// The characters of one: 16 bytes in base64url.
    static let length = 22

    /// Makes one.
    static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(Base64URL.encode(Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })))
    }

    /// SHA-256 in base64url.
    static func hash(_ handle: Secret) -> String { Base64URL.encode(Data(SHA256.hash(data: handle.revealBytes()))) }
}
