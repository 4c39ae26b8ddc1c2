import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import OAuth

/// The page for a browser that calls the service by another name of this machine, such as `127.0.0.1`.
///
/// All other requests with a foreign `Host` get the JSON error, which prevents DNS rebinding by malicious pages.
struct OtherAddress: Sendable {
    let place: AuthorityPaths
    let base: String
    let door: BrowserEndpoints

    /// Returns the page or a file that it uses, or `nil` for every other request.
    func answer(_ request: Request, _ context: HTTPContext) -> Response? {
        guard request.method == .get || request.method == .head,
            let host = request.head.authority.flatMap({ URLComponents(string: "//" + $0)?.host }),
            Loopback.contains(host: host)
        else { return nil }
        let files = place.prefix + AssetRoute.folder + "/"
        if request.uri.path.hasPrefix(files) {
            return AssetRoute(place: place, door: door).file(String(request.uri.path.dropFirst(files.count)))
        }
        guard request.headers[.accept]?.contains("text/html") == true else { return nil }
        let writer = PageWriter(place: place, request: request, context: context, policy: door.defaultPolicy)
        return writer.error(
            .address,
            .misdirectedRequest,
            code: "misdirected_request",
            detail: Text("error.address.detail", ["address": base]),
            again: base + AccountRoute.path(place).dropFirst(place.prefix.count)
        )
    }
}
