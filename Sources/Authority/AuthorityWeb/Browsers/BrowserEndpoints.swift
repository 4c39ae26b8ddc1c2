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

/// The authority's door for browsers: what its pages have in common.
public struct BrowserEndpoints: Sendable {
    let flows: BrowserFlows
    let cookies: BrowserCookies
    private let origins: OriginRule
    /// Withdraws what this machine holds of a person whose tokens have ended.
    let ended: @Sendable (UserID) async -> Void

    /// A door for browsers.
    ///
    /// - Parameters:
    ///   - flows: The flows of browsers.
    ///   - base: The base URL, whose scheme decides on the cookies.
    ///   - origins: The rule by which a request's origin is told.
    ///   - ended: Withdraws what this machine holds of a person whose tokens have ended.
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

    /// The policy whose looks the pages of no flow have.
    var defaultPolicy: Policy? { flows.authority.policy(flows.authority.settings().defaultPolicy) }

    /// The browser that a request comes from.
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
