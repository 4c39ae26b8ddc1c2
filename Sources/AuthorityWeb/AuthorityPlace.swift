import HTTPServer
import Hummingbird
import OAuth

/// The position of the authority in the URL space: the path of its base, and its tenant.
struct AuthorityPlace: Sendable {
    /// The path of the base without a slash at its end; often empty.
    let prefix: String
    private let tenant: String

    init(base: String, tenant: String) {
        let parts = base.split(separator: "/", omittingEmptySubsequences: true)
        prefix = parts.dropFirst(2).map { "/" + $0 }.joined()
        self.tenant = tenant.lowercased()
    }

    /// Returns the metadata of the issuer that a request names by tenant and policy.
    ///
    /// - Parameters:
    ///   - context: The request's context, with the parameters of its path.
    ///   - documents: The documents that are published.
    /// - Returns: The metadata, whose issuer is in lower case however the request spelled it.
    /// - Throws: 404 for another tenant and for an unknown policy.
    func metadata(_ context: HTTPContext, _ documents: AuthorityDocuments) throws(HTTPProblem) -> ServerMetadata {
        guard try context.segment("tenant").lowercased() == tenant else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such tenant")
        }
        let policy = try context.segment("policy").lowercased()
        guard let metadata = documents.metadata(policy) else {
            throw HTTPProblem(.notFound, code: "not_found", message: "there is no such policy")
        }
        return metadata
    }
}
