import Authority
import FlowModel
import HTTPServer
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth
import Policies

/// An endpoint for programs: a form comes in, JSON goes out (RFC 6749 §3.2, §5).
struct ProgramRoute: AuthorityRoute {
    /// The answer of an endpoint.
    enum Answer {
        /// 200 with a document.
        case ok(JSONValue)
        /// 201 with a document.
        case created(JSONValue)
        /// 200 without a document.
        case done
    }

    /// Calls the authority's endpoint.
    typealias Call = @Sendable (TokenProtocol, ProgramRequest) async throws -> Answer

    /// The endpoints, each with its call.
    static let calls: [(AuthorityEndpoint, Call)] = [
        (.token, { .ok(try await $0.token($1).json) }),
        (.pushedRequests, { .created(try await $0.push($1)) }),
        (.deviceAuthorization, { .ok(try await $0.authorizeDevice($1)) }),
        (
            .revocation,
            {
                try await $0.revoke($1)
                return .done
            }
        ),
        (.introspection, { .ok(try await $0.introspect($1)) }),
    ]

    let place: AuthorityPaths
    let door: ProgramEndpoints
    let endpoint: AuthorityEndpoint
    let call: Call

    var paths: [String] { place.paths(behindPolicy: endpoint.path) }
    var methods: [HTTPRequest.Method] { [.post] }
    var operation: RouteOperation? { endpoint.operation }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let policy = try place.policy(context, query: try request.query())
        let problems = ProgramProblems(authority: door.authority, policy: policy, context: context)
        return try await problems.answering {
            // Nobody lets other sites read these answers, so such a page could only use up budgets of its visitors.
            guard !FetchMetadata(request).isForeign else {
                throw OAuthError.invalidRequest("a page of another site may not call this endpoint")
            }
            let answer = try await call(
                door.programs,
                ProgramRequest(
                    policy: policy.description,
                    form: try await Self.form(request, context),
                    authorization: request.headers.value(.authorization),
                    origin: door.origins.origin(request, context),
                    correlationID: CorrelationID(context.correlationID) ?? .random()
                )
            )
            switch answer {
            case .ok(let json): return .program(.ok, json)
            case .created(let json): return .program(.created, json)
            case .done: return Response(status: .ok, headers: Response.programHeaders)
            }
        }
    }

    /// The parameters of the body, which must be a form (RFC 6749 §3.2); those of the query count for nothing.
    private static func form(_ request: Request, _ context: HTTPContext) async throws -> Form {
        guard request.isForm else {
            throw OAuthError.invalidRequest("the body must be application/x-www-form-urlencoded")
        }
        let body = try await request.body.collect(upTo: context.maxUploadSize)
        return try Form(utf8: Array(body.readableBytesView))
    }
}

extension Response {
    /// The header fields of answers with tokens in them (RFC 6749 §5.1).
    static let programHeaders: HTTPFields = [.cacheControl: "no-store", .pragma: "no-cache"]

    /// A JSON document for the program that asked, which no cache may keep.
    static func program(_ status: HTTPResponse.Status, _ json: JSONValue, headers: HTTPFields = [:]) -> Response {
        var fields = programHeaders
        fields[.contentType] = "application/json"
        for field in headers { fields.append(field) }
        return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}

extension HTTPField.Name {
    static let pragma = HTTPField.Name("Pragma") ?? .cacheControl
}
