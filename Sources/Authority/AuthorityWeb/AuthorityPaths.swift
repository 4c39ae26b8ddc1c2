import HTTPServer
import Hummingbird
import OAuth
import Policies

struct AuthorityPaths: Sendable {
    /// The scheme of the base URL, in lower case.
    let scheme: String
    /// The path of the base URL without a trailing slash, often empty.
    let prefix: String
    /// The name of the tenant, in lower case.
    let tenant: String

    init(base: String, tenant: String) {
        let parts = base.split(separator: "/", omittingEmptySubsequences: true)
        scheme = base.prefix { $0 != ":" }.lowercased()
        prefix = parts.dropFirst(2).map { "/" + $0 }.joined()
        self.tenant = tenant.lowercased()
    }

    var root: String { "\(prefix)/\(RequestPath.encoded(tenant))" }

    func paths(behindPolicy path: String) -> [String] {
        ["/{tenant}/{policy}", "/tfp/{tenant}/{policy}", "/{tenant}"].map { prefix + $0 + path }
    }

    /// Throws a 404 error if the request is for a different tenant.
    func requireTenant(_ context: HTTPContext) throws(HTTPProblem) {
        guard try context.segment("tenant").lowercased() == tenant else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such tenant")
        }
    }

    /// Returns the policy id in the path or in the query parameter `p`, without checking that the policy exists.
    ///
    /// - Throws: 404 if the request is for another tenant or the policy name is invalid, or 400 if `p` is repeated.
    func policy(_ context: HTTPContext, query: Form) throws(HTTPProblem) -> PolicyID {
        try requireTenant(context)
        let isInPath = context.parameters.get("policy") != nil
        guard !query.repeated.contains("p") else {
            throw HTTPProblem(.badRequest, code: "invalid_request", message: "the parameter p is repeated")
        }
        let name = try isInPath ? context.segment("policy") : query["p"] ?? ""
        guard let policy = try? PolicyID(name) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return policy
    }

    /// Returns the JSON metadata of the requested policy, in which the issuer is always in lower case.
    ///
    /// - Throws: 404 if the tenant or the policy is unknown.
    func metadata(_ context: HTTPContext, _ documents: AuthorityDocuments) throws(HTTPProblem) -> [UInt8] {
        try requireTenant(context)
        guard let metadata = documents.metadata(try context.segment("policy").lowercased()) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return metadata
    }
}
