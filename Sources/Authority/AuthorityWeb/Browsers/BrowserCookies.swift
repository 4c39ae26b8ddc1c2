import HTTPTypes
import Hummingbird
import OAuth

/// The cookies that the authority's pages use (RFC 6265bis).
///
/// Over https, `__Host-` keeps other hosts and plain http from setting a cookie, and `__Secure-` only plain http.
struct BrowserCookies: Sendable {
    /// The maximum number of cookies with the same name that are read from a request.
    private static let most = 4
    /// The maximum length of a cookie's value, in bytes.
    private static let longest = 64
    /// The lifetime of the flow cookie, in seconds, which equals the maximum duration of a flow.
    private static let flowLife = 900

    let isSecure: Bool

    var flow: String { isSecure ? "__Secure-flow" : "flow" }
    /// The name of the cookie that binds the form for a device code to the browser that shows the form.
    var form: String { isSecure ? "__Host-form" : "form" }
    var session: String { isSecure ? "__Host-session" : "session" }

    /// The name of the cookie that marks a browser in which a user has passed a second-factor check.
    var device: String { isSecure ? "__Host-device" : "device" }

    /// Returns all values of this cookie, because another service on the host can set one with the same name.
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

    /// Returns the `Set-Cookie` field for the session cookie, which ends with the browser if `seconds` is `nil`.
    func settingSession(_ value: Secret, seconds: Int?) -> String {
        field(session, value.reveal(), maxAge: seconds)
    }

    func setting(_ session: NewSession) -> [String] {
        [settingSession(session.cookie, seconds: session.seconds)]
            + [session.device].compactMap { $0 }.map { field(device, $0.reveal(), maxAge: NewSession.deviceLife) }
    }

    /// The name of the cookie that records, during the flow, that the user chose to stay signed in.
    var keep: String { isSecure ? "__Host-keep" : "keep" }

    func settingKeep(_ ticket: String) -> String { field(keep, ticket, maxAge: Self.flowLife) }

    /// The name of the cookie that records that the browser has just submitted a code at its last digit.
    var atOnce: String { isSecure ? "__Secure-at-once" : "at-once" }

    /// Returns the `Set-Cookie` field for this cookie, which expires before the user can have read the next page.
    func settingAtOnce(_ ticket: String, path: String) -> String { field(atOnce, ticket, path: path, maxAge: 2) }

    var removingSession: String { field(session, "", maxAge: 0) }

    private func field(_ name: String, _ value: String, path: String = "/", maxAge: Int?) -> String {
        let age = maxAge.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax\(age)" + (isSecure ? "; Secure" : "")
    }
}
