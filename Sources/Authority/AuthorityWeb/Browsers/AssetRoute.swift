import Authority
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import NIOCore
import Policies

/// The route of the static files that pages use, whose names change with their content.
struct AssetRoute: AuthorityRoute {
    static let folder = "/assets"

    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + Self.folder + "/{name}"] }
    var operation: RouteOperation? { RouteOperation(summary: "Get a static file of the pages.", answer: .file) }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        guard let response = file(try context.segment("name")) else { throw HTTPError(.notFound) }
        return response
    }

    /// Returns the response with the file `name`, or `nil` if there is none.
    func file(_ name: String) -> Response? {
        guard let asset = PageAsset.shared.first(where: { $0.name == name }) ?? own(name) else { return nil }
        return Response(
            status: .ok,
            headers: [
                .contentType: asset.mediaType, .cacheControl: PageAsset.cacheControl,
                // An image that is opened directly is a document of this origin, so it needs a content security policy.
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
            ],
            body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes))
        )
    }

    private func own(_ name: String) -> PageAsset? {
        door.flows.authority.policies.lazy.flatMap { PageBrand($0).assets }.first { $0.name == name }
    }
}
