import Crypto
public import FlowModel
import Foundation
public import OAuth

/// A browser, as identified by one of its requests.
public struct Browser: Sendable {
    /// The values of the browser's flow cookie.
    ///
    /// There can be several, because a service on another port of the same host can set a cookie with this name.
    public let cookies: [Secret]
    /// The values of the browser's form cookie, which the device code page sets.
    public let forms: [Secret]
    /// The value of the browser's session cookie, or `nil` if it has none.
    public let session: Secret?
    /// The value of the browser's device cookie, or `nil` if it has none.
    ///
    /// The cookie marks browsers in which a second factor was passed.
    public let device: Secret?
    /// The origin of the request.
    public let origin: Origin
    /// The id that is common to the page, the log and the audit.
    public let correlationID: CorrelationID

    /// The owner of the browser's sessions, or `nil` if there is no session cookie.
    var owner: Owner? { session.map(owner) }

    /// A new, unique owner.
    static var fresh: Owner { .browser(session: Handle.hash(Handle.random())) }

    /// Returns the owner that one of this browser's cookies identifies.
    func owner(_ cookie: Secret) -> Owner { .browser(session: hash(cookie)) }

    /// Returns the base64url SHA-256 of one of this browser's cookies, combined with the browser's uid if the kernel
    /// reports it.
    ///
    /// Browsers share cookies between all ports of a host (RFC 6265bis §8.5), so another uid's service on this machine
    /// can read and set them. The hash of the same cookie sent by another uid is different.
    func hash(_ cookie: Secret) -> String {
        guard case .local = origin else { return Handle.hash(cookie) }
        return Handle.hash(Secret("\(origin.key)\u{1F}\(cookie.reveal())"))
    }

    /// Whether the browser has the cookie with this hash.
    func holds(_ hash: String) -> Bool { cookies.contains { Secret(self.hash($0)) == Secret(hash) } }

    /// Returns the caller for this browser's requests on behalf of an owner.
    func caller(_ owner: Owner) -> Caller {
        var caller = Caller(owner: owner, origin: origin, correlationID: correlationID)
        caller.presentation = caller.presentation.inBrowser
        caller.cookieOwner = self.owner
        return caller
    }
}

extension Browser {
    /// Returns the caller for this browser's requests to a ticket's flow.
    func caller(_ ticket: Ticket) -> Caller {
        var caller = caller(ticket.owner)
        caller.ticket = ticket.hash
        return caller
    }
}

/// A random string, used in a URL or a cookie to refer to a stored row.
///
/// The store contains only its hash.
enum Handle {
    /// The number of characters: 16 bytes in base64url.
    static let length = 22

    /// Returns a new random handle.
    static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(Base64URL.encode(Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) })))
    }

    /// Returns the SHA-256 of a handle, in base64url.
    static func hash(_ handle: Secret) -> String { Base64URL.encode(Data(SHA256.hash(data: handle.revealBytes()))) }
}
