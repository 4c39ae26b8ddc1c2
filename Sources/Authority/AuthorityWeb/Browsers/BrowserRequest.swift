import Authority
import HTTPServer
import HTTPTypes
import Hummingbird
import OAuth
import Policies

/// A browser's request to the endpoint of a policy, with a writer for the pages of the response.
struct BrowserRequest {
    let query: Form
    let posted: Form?
    let policy: PolicyID
    let page: PageWriter

    /// Reads a request, or throws 404 for another tenant or an invalid policy, or 400 for malformed parameters.
    init(_ request: Request, _ context: HTTPContext, at place: AuthorityPaths, _ door: BrowserEndpoints) async throws {
        query = try request.query()
        policy = try place.policy(context, query: query)
        switch request.method {
        case .post: posted = try await request.form(context)
        default: posted = nil
        }
        page = PageWriter(
            place: place,
            request: request,
            context: context,
            policy: door.flows.authority.policy(policy),
            locales: posted?["ui_locales"] ?? query["ui_locales"]
        )
    }
}
