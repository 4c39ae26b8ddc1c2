import Crypto
public import FlowModel
import Foundation
public import OAuth

/// A browser, as identified by the origin and the cookies of one of its requests.
public struct Browser: Sendable {
    /// The values of the flow cookie, several if a service on another port of the host set the same cookie.
    public let cookies: [Secret]
    /// The values of the form cookie, which the device code page sets.
    public let forms: [Secret]
    /// The value of the session cookie, or `nil` if the browser sent none.
    public let session: Secret?
    /// The value of the device cookie, which marks a browser with a passed second-factor check, or `nil`.
    public let device: Secret?
    /// The origin of the request.
    public let origin: Origin
    /// The id that identifies the request on the page, in the log and in audit events.
    public let correlationID: CorrelationID

    var owner: Owner? { session.map(owner) }

    static var fresh: Owner { .browser(session: Handle.hash(Handle.random())) }

    func owner(_ cookie: Secret) -> Owner { .browser(session: hash(cookie)) }

    /// Returns the base64url SHA-256 hash of a cookie, which for a local browser also covers the uid, if known.
    ///
    /// Browsers share cookies between all ports of a host (RFC 6265bis §8.5), so another uid's service can read and set
    /// them.
    func hash(_ cookie: Secret) -> String {
        guard case .local = origin else { return Handle.hash(cookie) }
        return Handle.hash(Secret("\(origin.key)\u{1F}\(cookie.reveal())"))
    }

    func holds(_ hash: String) -> Bool { cookies.contains { Secret(self.hash($0)) == Secret(hash) } }

    func caller(_ owner: Owner) -> Caller {
        var caller = Caller(owner: owner, origin: origin, correlationID: correlationID)
        caller.presentation = caller.presentation.inBrowser
        caller.cookieOwner = self.owner
        return caller
    }
}

extension Browser {
    func caller(_ ticket: Ticket) -> Caller {
        var caller = caller(ticket.owner)
        caller.ticket = ticket.hash
        return caller
    }
}

/// A random string in a URL or cookie that refers to a database row, which contains only the string's hash.
enum Handle {
    /// The length of a handle, in characters, for 16 bytes in base64url.
    static let length = 22

    static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(Base64URL.encode(Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })))
    }

    static func hash(_ handle: Secret) -> String { Base64URL.encode(Data(SHA256.hash(data: handle.revealBytes()))) }
}
