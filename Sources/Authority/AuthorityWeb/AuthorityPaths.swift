import HTTPServer
import Hummingbird
import OAuth
import Policies

/// The parts of the authority's URL paths: the path of its base URL, and its tenant.
struct AuthorityPaths: Sendable {
    /// The path of the base URL, without a trailing slash.
    ///
    /// The prefix is often empty.
    let prefix: String
    /// The only tenant, in lower case.
    let tenant: String

    init(base: String, tenant: String) {
        let parts = base.split(separator: "/", omittingEmptySubsequences: true)
        prefix = parts.dropFirst(2).map { "/" + $0 }.joined()
        self.tenant = tenant.lowercased()
    }

    /// The common prefix of all of the tenant's paths.
    var root: String { "\(prefix)/\(RequestPath.encoded(tenant))" }

    /// Returns an endpoint's paths: with the policy in the path, with the policy in the path below `/tfp/`, and with
    /// the policy in the query parameter `p`.
    func paths(behindPolicy path: String) -> [String] {
        ["/{tenant}/{policy}", "/tfp/{tenant}/{policy}", "/{tenant}"].map { prefix + $0 + path }
    }

    /// Throws a 404 error if the request is for a different tenant.
    func requireTenant(_ context: HTTPContext) throws(HTTPProblem) {
        guard try context.segment("tenant").lowercased() == tenant else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such tenant")
        }
    }

    /// Returns the policy in the request's path, or in its query parameter `p`.
    ///
    /// - Parameters:
    ///   - context: The request's context, with the parameters of its path.
    ///   - query: The request's query.
    /// - Returns: The policy's id. The policy might not exist.
    /// - Throws: 404 for another tenant or an invalid policy name, 400 if `p` is repeated.
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

    /// Returns the metadata of the issuer with the tenant and policy in a request.
    ///
    /// - Parameters:
    ///   - context: The request's context, with the parameters of its path.
    ///   - documents: The published documents.
    /// - Returns: The metadata as JSON. Its issuer is in lower case, even if the request uses upper case.
    /// - Throws: 404 for another tenant or an unknown policy.
    func metadata(_ context: HTTPContext, _ documents: AuthorityDocuments) throws(HTTPProblem) -> [UInt8] {
        try requireTenant(context)
        guard let metadata = documents.metadata(try context.segment("policy").lowercased()) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return metadata
    }
}
