public import Authority
public import FlowModel
import Flows
public import Policies

/// The open step of a browser's flow, with everything that the step's page needs.
public struct FlowPage: Sendable {
    let ticket: Ticket
    /// The flow, which has not ended.
    public let flow: Flow
    /// The flow's open step.
    public let step: Step
    /// The flow's policy, for the page's text and branding.
    public let policy: Policy
    /// The display name of the client that the user signs in to, or `nil` for the account page.
    public let client: String?
    /// The providers that the user can choose instead of answering the step, each with its display name.
    public let providers: [(name: String, displayName: String)]
    /// Whether the page offers the option to stay signed in.
    public let offersToKeep: Bool
    /// Whether the page lets the user tell the client that the password is forgotten.
    public let offersReset: Bool
    /// Whether the browser might still be following the redirect from the endpoint where the flow started.
    public let isArriving: Bool
    /// The form's CSRF token.
    public let csrf: String
    /// The id that the form must send together with the answer.
    public let submission: String

    /// The authorization request that the flow responds to, or `nil`, for example for a terminal's flow.
    public var request: AuthorizationRequest? { ticket.request }
}

/// The outcome of a request for a flow's page.
public enum FlowVisit: Sendable {
    case redirect(LeavingBrowser)
    /// The flow ended without a prompt.
    case ended(PostedOutcome)
    case page(FlowPage)
}

/// A ticket and the flow that it belongs to, as stored when a request arrived.
public struct OpenedFlow: Sendable {
    let text: String
    let ticket: Ticket
    let flow: LoadedFlow
    /// The branding and the languages of the flow's pages.
    public let look: FlowLook

    /// The open step, or `nil` if the flow has ended or an answer is being evaluated.
    public var step: Step? { flow.flow.step }
}
