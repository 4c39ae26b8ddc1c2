import FlowModel
import HTTPServer
import HTTPTypes
import Localization
import OAuth

/// How a sign-in in a browser returns its result.
struct Completion: Hashable, Sendable {
    /// The path before `/done`: `/.auth/login`, or `/login` in version 1 of the protocol.
    let prefix: String
    /// The origin of the page that opened the window and receives the result, or `nil` if there is none.
    let page: String?

    /// The names of the parameters that a request to start a sign-in can have.
    private static let known: Set<String> = ["session_mode", "completion_type", "completion_origin"]
    /// The names of ignored parameters, in which clients describe themselves.
    private static let ignored: Set<String> = ["zumo-api-version", "runtime", "version"]

    init(prefix: String, page: String?) {
        self.prefix = prefix
        self.page = page
    }

    /// Parses the parameters of a request that starts a sign-in.
    ///
    /// - Throws: `HTTPProblem` 400 for an unknown or repeated parameter, or a page that must not receive the result.
    init(_ query: Form, prefix: String, _ settings: SignInSettings) throws(HTTPProblem) {
        guard query.repeated.isEmpty else { throw Self.refusal(Text("tables.signIn.repeated")) }
        let foreign = query.names.filter { !Self.known.contains($0) && !Self.ignored.contains($0.lowercased()) }
        if let name = foreign.min() {
            let isPlain = name.utf8.count <= 64 && name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
            throw Self.refusal(
                isPlain
                    ? Text("tables.signIn.unknownParameter.name", ["name": name])
                    : Text("tables.signIn.unknownParameter")
            )
        }
        guard query["session_mode"].map({ $0 == "token" }) ?? true else {
            throw Self.refusal(Text("tables.signIn.only", ["name": "session_mode", "value": "token"]))
        }
        self.prefix = prefix
        let origin = query["completion_origin"]
        switch query["completion_type"] {
        case nil:
            guard origin == nil else {
                throw Self.refusal(
                    Text("tables.signIn.needs", ["name": "completion_origin", "other": "completion_type=postMessage"])
                )
            }
            page = nil
        case "postMessage":
            guard let origin else { throw Self.refusal(Text("tables.signIn.missing", ["name": "completion_origin"])) }
            guard settings.mayTell(origin) else {
                throw Self.refusal(Text("tables.signIn.foreignPage"))
            }
            page = origin
        default: throw Self.refusal(Text("tables.signIn.only", ["name": "completion_type", "value": "postMessage"]))
        }
    }

    /// The name of the query parameter of the `/done` page whose value must match the browser's cookie.
    static let id = "completion_id"

    /// Parses the query of the `/done` page, and returns the completion and the value of the parameter ``id``.
    static func ended(
        _ query: Form,
        prefix: String,
        _ settings: SignInSettings
    ) throws(HTTPProblem) -> (Completion, id: String?) {
        guard query.repeated.isEmpty else { throw refusal(Text("tables.signIn.repeated")) }
        let others = query.pairs.filter { $0.name != id }
        let pairs = Dictionary(others.map { ($0.name, $0.value) }) { first, _ in first }
        return (try Completion(Form(pairs), prefix: prefix, settings), query[id])
    }

    /// Returns the path of the page on which a sign-in ends, with the result in the fragment.
    ///
    /// If another page receives the result, the path has a query with that page's origin and the cookie's value `id`.
    func address(_ outcome: SignInOutcome, id: String? = nil) -> String {
        let query = page.map { page in
            "?"
                + Form.encoded(
                    [("completion_type", "postMessage"), ("completion_origin", page)]
                        + (id.map { [(Self.id, $0)] } ?? [])
                )
        }
        return "\(prefix)/done\(query ?? "")#\(outcome.fragment)"
    }

    static func refusal(_ text: Text) -> HTTPProblem {
        HTTPProblem(.badRequest, code: "invalid_request", text)
    }
}

/// The result of a sign-in, in the form that the protocol's clients expect.
enum SignInOutcome: Sendable {
    case token(Secret, user: String)
    case error(Text)

    /// The result as a URL fragment, which browsers do not send to servers.
    var fragment: String {
        switch self {
        case .token(let token, let user):
            Form.encoded([("token", String(decoding: Self.body(token, user: user).bytes, as: UTF8.self))])
        case .error(let text): Form.encoded([("error", text.english)])
        }
    }

    static func body(_ token: Secret, user: String) -> JSONValue {
        ["authenticationToken": .string(token.reveal()), "user": ["userId": .string(user)]]
    }
}
