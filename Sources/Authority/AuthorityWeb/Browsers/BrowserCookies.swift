import HTTPTypes
import Hummingbird
import OAuth

/// The cookies of the authority's pages (RFC 6265bis).
///
/// Over https their names begin with `__Host-`, so that no other host and no plain connection can set them. The flow
/// cookie has the path of its flow instead, which nobody else knows: each flow has one of its own.
struct BrowserCookies: Sendable {
    /// The most values of one name that are looked at.
    private static let most = 4
    /// The longest value, in bytes.
    private static let longest = 64
    /// The life of the flow cookie, in seconds: that of a flow.
    private static let flowLife = 900

    let isSecure: Bool

    /// The name of the cookie that binds flows to their browser.
    var flow: String { isSecure ? "__Secure-flow" : "flow" }
    /// The name of the cookie that binds the form for a device's code to its browser.
    var form: String { isSecure ? "__Host-form" : "form" }
    /// The name of the cookie that keeps a browser signed in.
    var session: String { isSecure ? "__Host-session" : "session" }

    /// The name of the cookie by which a browser is known again where a second factor was proved.
    var device: String { isSecure ? "__Host-device" : "device" }

    /// The values of a cookie; there are several if another service of the host sets one of that name.
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

    /// The field that sets the flow cookie of the flow with this path, and lives no longer than a flow.
    func settingFlow(_ value: Secret, path: String) -> String {
        field(flow, value.reveal(), path: path, maxAge: Self.flowLife)
    }

    /// The name of the cookie of a browser that is on its way to a provider.
    func away(_ mark: String) -> String { (isSecure ? "__Secure-away-" : "away-") + mark }

    /// The field that sets the cookie of a browser that goes to a provider.
    func settingAway(_ value: Secret, mark: String, path: String) -> String {
        field(away(mark), value.reveal(), path: path, maxAge: Self.flowLife)
    }

    /// The field that removes that cookie.
    func removingAway(_ mark: String, path: String) -> String { field(away(mark), "", path: path, maxAge: 0) }

    /// The field that sets the form cookie.
    func settingForm(_ value: Secret) -> String { field(form, value.reveal(), maxAge: Self.flowLife) }

    /// The field that sets the session cookie: for seconds, or until the browser is closed.
    func settingSession(_ value: Secret, seconds: Int?) -> String {
        field(session, value.reveal(), maxAge: seconds)
    }

    /// The fields that set what a sign-in leaves.
    func setting(_ session: NewSession) -> [String] {
        [settingSession(session.cookie, seconds: session.seconds)]
            + [session.device].compactMap { $0 }.map { field(device, $0.reveal(), maxAge: NewSession.deviceLife) }
    }

    /// The name of the cookie that remembers the choice to stay signed in until the flow has ended.
    var keep: String { isSecure ? "__Host-keep" : "keep" }

    /// The field that remembers that choice, for one flow.
    func settingKeep(_ ticket: String) -> String { field(keep, ticket, maxAge: Self.flowLife) }

    /// The field that removes the session cookie.
    var removingSession: String { field(session, "", maxAge: 0) }

    private func field(_ name: String, _ value: String, path: String = "/", maxAge: Int?) -> String {
        let age = maxAge.map { "; Max-Age=\($0)" } ?? ""
        return "\(name)=\(value); Path=\(path); HttpOnly; SameSite=Lax\(age)" + (isSecure ? "; Secure" : "")
    }
}
