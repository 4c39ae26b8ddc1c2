import HTTPTypes
import Hummingbird
import OAuth

/// The cookies used by the authority's pages (RFC 6265bis).
///
/// Over https, their names begin with `__Host-`, so that no other host and no plain http connection can set them.
/// Cookies for flows and redirects begin with `__Secure-` instead, because they are limited to a path.
struct BrowserCookies: Sendable {
    /// The maximum number of cookies with the same name to read.
    private static let most = 4
    /// The maximum length of a cookie's value, in bytes.
    private static let longest = 64
    /// The lifetime of the flow cookie, in seconds, equal to a flow's lifetime.
    private static let flowLife = 900

    let isSecure: Bool

    var flow: String { isSecure ? "__Secure-flow" : "flow" }
    /// The name of the cookie that binds the device code form to its browser.
    var form: String { isSecure ? "__Host-form" : "form" }
    var session: String { isSecure ? "__Host-session" : "session" }

    /// The name of the cookie that marks a browser in which a second-factor check was passed.
    var device: String { isSecure ? "__Host-device" : "device" }

    /// Returns a cookie's values.
    ///
    /// There can be several if another service on the host sets the same cookie.
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

    func settingFlow(_ value: Secret, path: String) -> String {
        field(flow, value.reveal(), path: path, maxAge: Self.flowLife)
    }

    func away(_ mark: String) -> String { (isSecure ? "__Secure-away-" : "away-") + mark }

    func settingAway(_ value: Secret, mark: String, path: String) -> String {
        field(away(mark), value.reveal(), path: path, maxAge: Self.flowLife)
    }

    func removingAway(_ mark: String, path: String) -> String { field(away(mark), "", path: path, maxAge: 0) }

    func settingForm(_ value: Secret) -> String { field(form, value.reveal(), maxAge: Self.flowLife) }

    /// Returns the `Set-Cookie` field for the session cookie.
    ///
    /// If `seconds` is `nil`, the cookie expires when the browser is closed.
    func settingSession(_ value: Secret, seconds: Int?) -> String {
        field(session, value.reveal(), maxAge: seconds)
    }

    func setting(_ session: NewSession) -> [String] {
        [settingSession(session.cookie, seconds: session.seconds)]
            + [session.device].compactMap { $0 }.map { field(device, $0.reveal(), maxAge: NewSession.deviceLife) }
    }

    /// The name of the cookie that records, for the duration of the flow, that the user chose to stay signed in.
    var keep: String { isSecure ? "__Host-keep" : "keep" }

    func settingKeep(_ ticket: String) -> String { field(keep, ticket, maxAge: Self.flowLife) }

    var removingSession: String { field(session, "", maxAge: 0) }

    private func field(_ name: String, _ value: String, path: String = "/", maxAge: Int?) -> String {
        let age = maxAge.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax\(age)" + (isSecure ? "; Secure" : "")
    }
}
