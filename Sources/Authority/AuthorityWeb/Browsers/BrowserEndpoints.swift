import Authority
public import FlowModel
import Foundation
import HTTPServer
import HTTPTypes
import HostedPages
import Hummingbird
import Localization
import OAuth
import Policies

/// The values that all of the authority's endpoints for browsers share.
public struct BrowserEndpoints: Sendable {
    let flows: BrowserFlows
    let cookies: BrowserCookies
    private let origins: OriginRule
    let ended: @Sendable (UserID) async -> Void

    /// Creates the endpoints for browsers.
    ///
    /// - Parameters:
    ///   - flows: The browser flows that the endpoints continue.
    ///   - base: The base URL, whose scheme determines the names of the cookies.
    ///   - origins: The rule that determines the origin of a request.
    ///   - ended: Deletes the data that this machine stores for a user, after the user's tokens have been revoked.
    public init(
        flows: BrowserFlows,
        base: String,
        origins: OriginRule,
        ended: @escaping @Sendable (UserID) async -> Void = { _ in }
    ) {
        self.ended = ended
        self.flows = flows
        self.origins = origins
        cookies = BrowserCookies(isSecure: base.lowercased().hasPrefix("https:"))
    }

    var defaultPolicy: Policy? { flows.authority.policy(flows.authority.settings().defaultPolicy) }

    func browser(_ request: Request, _ context: HTTPContext) -> Browser {
        Browser(
            cookies: cookies.values(of: cookies.flow, in: request),
            forms: cookies.values(of: cookies.form, in: request),
            session: cookies.values(of: cookies.session, in: request).first,
            device: cookies.values(of: cookies.device, in: request).first,
            origin: origins.origin(request, context),
            correlationID: CorrelationID(context.correlationID) ?? .random()
        )
    }
}
