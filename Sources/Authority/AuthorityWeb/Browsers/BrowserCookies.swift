import HTTPTypes
import Hummingbird
import OAuth

/// The cookies that the authority's pages use (RFC 6265bis).
///
/// Over https, the names of the cookies begin with `__Host-`, so that no other host and no plain http connection can
/// set them. The flow cookie is limited to its flow's path instead. Each flow has its own secret path.
struct BrowserCookies: Sendable {
    /// The maximum number of cookies with the same name to read.
    private static let most = 4
    /// The maximum length of a value, in bytes.
    private static let longest = 64
    /// The lifetime of the flow cookie, in seconds.
    ///
    /// It is equal to the lifetime of a flow.
    private static let flowLife = 900

    let isSecure: Bool

    /// The name of the cookie that binds flows to their browser.
    var flow: String { isSecure ? "__Secure-flow" : "flow" }
    /// The name of the cookie that binds the device code form to its browser.
    var form: String { isSecure ? "__Host-form" : "form" }
    /// The name of the cookie that keeps a browser signed in.
    var session: String { isSecure ? "__Host-session" : "session" }

    /// The name of the cookie that marks a browser where a second factor was passed.
    var device: String { isSecure ? "__Host-device" : "device" }

    /// Returns the values of a cookie.
    ///
    /// There can be several if another service on the host sets a cookie with the same name.
    func values(of name: String, in request: Request) -> [Secret] {
        var found: [Secret] = []
        for field in request.headers[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
                guard parts.count == 2, Self.withoutSpaces(parts[0]).elementsEqual(name.utf8) else { continue }
                let value = Array(Self.withoutSpaces(parts[1]))
                guard value.count <= Self.longest else { continue }
                found.append(Secret(bytes: value))
                if found.count == Self.most { return found }
            }
        }
        return found
    }

    private static func withoutSpaces(_ text: Substring.UTF8View) -> some Sequence<UInt8> {
        text.lazy.filter { $0 != UInt8(ascii: " ") }
    }

    /// Returns the `Set-Cookie` field that sets the flow cookie for this path.
    ///
    /// The cookie expires with the flow.
    func settingFlow(_ value: Secret, path: String) -> String {
        field(flow, value.reveal(), path: path, maxAge: Self.flowLife)
    }

    /// Returns the name of the cookie for a browser that is redirected to a provider.
    func away(_ mark: String) -> String { (isSecure ? "__Secure-away-" : "away-") + mark }

    /// Returns the `Set-Cookie` field that sets the cookie for a browser that is redirected to a provider.
    func settingAway(_ value: Secret, mark: String, path: String) -> String {
        field(away(mark), value.reveal(), path: path, maxAge: Self.flowLife)
    }

    /// Returns the `Set-Cookie` field that removes the cookie for a redirect.
    func removingAway(_ mark: String, path: String) -> String { field(away(mark), "", path: path, maxAge: 0) }

    /// Returns the `Set-Cookie` field that sets the form cookie.
    func settingForm(_ value: Secret) -> String { field(form, value.reveal(), maxAge: Self.flowLife) }

    /// Returns the `Set-Cookie` field that sets the session cookie, for `seconds` or until the browser is closed.
    func settingSession(_ value: Secret, seconds: Int?) -> String {
        field(session, value.reveal(), maxAge: seconds)
    }

    /// Returns the `Set-Cookie` fields for a sign-in.
    func setting(_ session: NewSession) -> [String] {
        [settingSession(session.cookie, seconds: session.seconds)]
            + [session.device].compactMap { $0 }.map { field(device, $0.reveal(), maxAge: NewSession.deviceLife) }
    }

    /// The name of the cookie that stores the choice to stay signed in until the flow has ended.
    var keep: String { isSecure ? "__Host-keep" : "keep" }

    /// Returns the `Set-Cookie` field that stores the choice to stay signed in, for one flow.
    func settingKeep(_ ticket: String) -> String { field(keep, ticket, maxAge: Self.flowLife) }

    /// The `Set-Cookie` field that removes the session cookie.
    var removingSession: String { field(session, "", maxAge: 0) }

    private func field(_ name: String, _ value: String, path: String = "/", maxAge: Int?) -> String {
        let age = maxAge.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax\(age)" + (isSecure ? "; Secure" : "")
    }
}
