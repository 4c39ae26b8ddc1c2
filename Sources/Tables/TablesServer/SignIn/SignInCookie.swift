import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import OAuth

/// A cookie that binds a sign-in to the browser that began it (RFC 6265bis); its name has a mark of the state, or of
/// the id of the sign-in's end, so that several windows may sign in at once.
struct SignInCookie {
    /// The part of a sign-in that a cookie is for.
    enum Stage {
        /// The browser is at the authority.
        case leaving
        /// The browser is on its way to the page that tells how it ended.
        case ending

        /// The beginning of the cookie's name.
        fileprivate var prefix: String {
            switch self {
            case .leaving: "signin-"
            case .ending: "signin-done-"
            }
        }

        /// The time that the browser has.
        fileprivate var life: Duration {
            switch self {
            case .leaving: PendingSignIns.life
            case .ending: .seconds(60)
            }
        }
    }

    /// The most values of one name that are looked at: another service of the host may set one, too.
    private static let most = 4
    /// The longest value, in bytes.
    private static let longest = 64

    let isSecure: Bool
    var stage = Stage.leaving

    /// The field that sets the cookie for a state.
    func setting(_ value: Secret, state: String) -> String {
        field(state, value.reveal(), maxAge: stage.life.components.seconds)
    }

    /// The field that removes the cookie of a state.
    func removing(_ state: String) -> String { field(state, "", maxAge: 0) }

    /// The values that a browser has for a state.
    func values(_ state: String, in request: Request) -> [Secret] {
        let name = name(state)
        return request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { pair -> Secret? in
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            guard parts.count == 2, parts[0] == name, parts[1].utf8.count <= Self.longest else { return nil }
            return Secret(parts[1])
        }.prefix(Self.most).map { $0 }
    }

    private func name(_ state: String) -> String {
        let mark = Base64URL.encode(Data(SHA256.hash(data: Data(state.utf8)))).prefix(8)
        return (isSecure ? "__Host-" : "") + stage.prefix + mark
    }

    private func field(_ state: String, _ value: String, maxAge: Int64) -> String {
        "\(name(state))=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(maxAge)" + (isSecure ? "; Secure" : "")
    }
}
