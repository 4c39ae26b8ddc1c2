import FlowModel
import HTTPServer
import HTTPTypes
import Localization
import OAuth

/// The end of a browser's sign-in, as the request that began it asked for it.
struct Completion: Hashable, Sendable {
    /// The path in front of `/done`: `/.auth/login`, or `/login` of the protocol's first version.
    let prefix: String
    /// The origin of the page that opened the window and is to be told; nil if the window's own address says it.
    let page: String?

    /// The parameters of the request that begins a sign-in.
    private static let known: Set<String> = ["session_mode", "completion_type", "completion_origin"]
    /// Parameters of clients that say something of themselves; they change nothing here.
    private static let ignored: Set<String> = ["zumo-api-version", "runtime", "version"]

    init(prefix: String, page: String?) {
        self.prefix = prefix
        self.page = page
    }

    /// Reads the parameters of a request.
    ///
    /// - Throws: 400 for a parameter that is not known, or twice there, and for a page that may not be told.
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

    /// The parameter of the page at which a sign-in ends that has the value of the browser's cookie.
    static let id = "completion_id"

    /// Reads the parameters of the page at which a sign-in ends.
    ///
    /// - Returns: The end, and what shows that it is this browser's; nil if nothing does.
    /// - Throws: As ``init(_:prefix:_:)``.
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

    /// The address at which a sign-in ends.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - id: The value of the browser's cookie, where a page is to be told.
    /// - Returns: The path, with a query where a page is to be told, and the outcome as its fragment.
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

/// The outcome of a sign-in, as the protocol's clients read it.
enum SignInOutcome: Sendable {
    /// A token, and the id of its person.
    case token(Secret, user: String)
    /// A failure, in a sentence.
    case error(Text)

    /// The outcome as a part of an address that no server is sent.
    var fragment: String {
        switch self {
        case .token(let token, let user):
            Form.encoded([("token", String(decoding: Self.body(token, user: user).bytes, as: UTF8.self))])
        case .error(let text): Form.encoded([("error", text.english)])
        }
    }

    /// The token and its person, as clients take it.
    static func body(_ token: Secret, user: String) -> JSONValue {
        ["authenticationToken": .string(token.reveal()), "user": ["userId": .string(user)]]
    }
}
