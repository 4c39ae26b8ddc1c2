import Authority
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import NIOCore
import Policies

/// The files of the pages, which never change under their names.
struct AssetRoute: AuthorityRoute {
    /// The folder in which they stand, below the base.
    static let folder = "/assets"

    let place: AuthorityPaths
    let door: BrowserEndpoints

    var paths: [String] { [place.prefix + Self.folder + "/{name}"] }
    var operation: RouteOperation? { RouteOperation(summary: "A file of the pages.", answer: .file) }

    func answer(_ request: Request, _ context: HTTPContext) async throws -> Response {
        let name = try context.segment("name")
        guard let asset = PageAsset.shared.first(where: { $0.name == name }) ?? own(name) else {
            throw HTTPError(.notFound)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: asset.mediaType, .cacheControl: PageAsset.cacheControl,
                // A drawing that is opened by itself is a document of this origin, too.
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
            ],
            body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes))
        )
    }

    /// The file of a policy with a name.
    private func own(_ name: String) -> PageAsset? {
        door.flows.authority.policies.lazy.flatMap { PageBrand($0).assets }.first { $0.name == name }
    }
}
