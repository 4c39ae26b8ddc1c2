import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import OAuth

/// A cookie, named differently for each sign-in, that binds the sign-in to the browser that started it (RFC 6265bis).
struct SignInCookie {
    enum Stage {
        /// The browser is at the authority.
        case leaving
        /// The browser is being redirected to the page that shows the result.
        case ending

        fileprivate var prefix: String {
            switch self {
            case .leaving: "signin-"
            case .ending: "signin-done-"
            }
        }

        fileprivate var life: Duration {
            switch self {
            case .leaving: PendingSignIns.life
            case .ending: .seconds(60)
            }
        }
    }

    /// The maximum number of cookies with the same name that are considered.
    ///
    /// A browser can send several, because another service on the host can set a cookie with this name.
    private static let most = 4
    /// The maximum length of a value, in bytes.
    private static let longest = 64

    let isSecure: Bool
    var stage = Stage.leaving

    func setting(_ value: Secret, state: String) -> String {
        field(state, value.reveal(), maxAge: stage.life.components.seconds)
    }

    func removing(_ state: String) -> String { field(state, "", maxAge: 0) }

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
