import HTTPServer
import Hummingbird
import OAuth
import Policies

/// The position of the authority in the URL space: the path of its base, and its tenant.
struct AuthorityPaths: Sendable {
    /// The path of the base without a slash at its end; often empty.
    let prefix: String
    /// The only tenant, in lower case.
    let tenant: String

    init(base: String, tenant: String) {
        let parts = base.split(separator: "/", omittingEmptySubsequences: true)
        prefix = parts.dropFirst(2).map { "/" + $0 }.joined()
        self.tenant = tenant.lowercased()
    }

    /// The path of all of the tenant's addresses.
    var root: String { "\(prefix)/\(RequestPath.encoded(tenant))" }

    /// The paths of an address that stands behind a policy: by its path, by `/tfp/`, and by the query's `p`.
    func paths(behindPolicy path: String) -> [String] {
        ["/{tenant}/{policy}", "/tfp/{tenant}/{policy}", "/{tenant}"].map { prefix + $0 + path }
    }

    /// Refuses another tenant with 404.
    func requireTenant(_ context: HTTPContext) throws(HTTPProblem) {
        guard try context.segment("tenant").lowercased() == tenant else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such tenant")
        }
    }

    /// Returns the policy that a request names by its path, or by `p` of its query.
    ///
    /// - Parameters:
    ///   - context: The request's context, with the parameters of its path.
    ///   - query: The request's query.
    /// - Returns: The policy's id, whether there is one or not.
    /// - Throws: 404 for another tenant and for a name that no policy can have, 400 for two names.
    func policy(_ context: HTTPContext, query: Form) throws(HTTPProblem) -> PolicyID {
        try requireTenant(context)
        let isInPath = context.parameters.get("policy") != nil
        guard !query.repeated.contains("p") else {
            throw HTTPProblem(.badRequest, code: "invalid_request", message: "the parameter p is there more than once")
        }
        let name = try isInPath ? context.segment("policy") : query["p"] ?? ""
        guard let policy = try? PolicyID(name) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return policy
    }

    /// Returns the metadata of the issuer that a request names by tenant and policy.
    ///
    /// - Parameters:
    ///   - context: The request's context, with the parameters of its path.
    ///   - documents: The documents that are published.
    /// - Returns: The metadata as JSON, whose issuer is in lower case however the request spelled it.
    /// - Throws: 404 for another tenant and for an unknown policy.
    func metadata(_ context: HTTPContext, _ documents: AuthorityDocuments) throws(HTTPProblem) -> [UInt8] {
        try requireTenant(context)
        guard let metadata = documents.metadata(try context.segment("policy").lowercased()) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return metadata
    }
}
