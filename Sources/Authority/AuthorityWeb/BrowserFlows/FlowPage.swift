public import Authority
public import FlowModel
import Flows
public import Policies

/// The open step of a browser's flow, with what its page needs.
public struct FlowPage: Sendable {
    let ticket: Ticket
    /// The flow, which is open.
    public let flow: Flow
    /// Its open step.
    public let step: Step
    /// Its policy.
    public let policy: Policy
    /// The name of the client that the person goes on to; nil for their own page.
    public let client: String?
    /// The providers that the person may choose instead, each with its name for people.
    public let providers: [(name: String, displayName: String)]
    /// True if the person may choose that the browser stays signed in.
    public let offersToKeep: Bool
    /// True if the person may tell the client that the password is forgotten.
    public let offersReset: Bool
    /// True as long as the browser may still be on its way from the endpoint where the flow began.
    public let isArriving: Bool
    /// The token against forged requests.
    public let csrf: String
    /// The name for the next answer.
    public let submission: String

    /// The request that the end of the flow answers; nil for a flow of a terminal.
    public var request: AuthorizationRequest? { ticket.request }
}

/// A browser at the address of a ticket.
public enum FlowVisit: Sendable {
    /// The browser goes on at a provider or an outside authority.
    case redirect(LeavingBrowser)
    /// Nothing was left to ask.
    case ended(PostedOutcome)
    /// The open step.
    case page(FlowPage)
}

/// A ticket and its flow, as they are when an answer arrives.
public struct OpenedFlow: Sendable {
    let text: String
    let ticket: Ticket
    let flow: LoadedFlow

    /// The open step; nil if the flow has ended, or an answer is being evaluated.
    public var step: Step? { flow.flow.step }
}
