public import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
public import OAuth
import Policies

/// The outcome of entering a user code, or of approving or denying the device.
public enum DeviceOutcome: Sendable {
    /// No device is waiting for this code.
    case unknown
    /// The user must approve or deny the device, given the client's display name and a description of each scope.
    case asks(DeviceRequest, client: String, scopes: [String], csrf: String)
    /// The user continues on the ticket's pages, where `cookie` is `nil` if the flow is not yet bound to a browser.
    case pages(ticket: Secret, cookie: Secret?)
    /// The device was approved.
    case connected
    /// The device was denied.
    case turnedAway
}

/// The decisions that users make about devices after entering a device's user code (RFC 8628 §3.3).
public struct DeviceApprovals: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var tickets: Tickets { browsers.tickets }

    /// Returns the CSRF token for the form in which users enter a user code, and the new cookie it is bound to.
    public func form(_ browser: Browser) -> (csrf: String, cookie: Secret) {
        let cookie = Handle.random()
        return (tickets.token(of: "device", browser.owner(cookie)), cookie)
    }

    /// Finds the device with this user code, or applies the user's decision about the device.
    ///
    /// The user must decide about every device (RFC 8628 §5.4). `allows` is `nil` if the user has not been prompted
    /// yet.
    ///
    /// - Throws: `BrowserProblem.forged` for a wrong CSRF token, or `Refusal`, which is `limit_exceeded` with the time
    ///   to wait after too many lookups from the origin.
    public func decide(
        _ userCode: String,
        csrf: String,
        allows: Bool?,
        _ browser: Browser
    ) async throws -> DeviceOutcome {
        let purpose = allows == nil ? "device" : "device \(userCode)"
        let cookie = browser.forms.first { Secret(csrf) == Secret(tickets.token(of: purpose, browser.owner($0))) }
        guard let cookie else { throw BrowserProblem.forged }
        guard let device = try await authority.devices.find(userCode: userCode, from: browser.origin) else {
            guard allows == nil, let ticket = try await browsers.terminals.ticket(userCode: userCode) else {
                return .unknown
            }
            return .pages(ticket: ticket, cookie: nil)
        }
        switch allows {
        case nil:
            let api = device.request.api.flatMap { authority.settings().apis[$0] }
            return .asks(
                device,
                client: try await name(of: device),
                scopes: device.request.scopes.compactMap { api?.scopes[$0] },
                csrf: tickets.token(of: "device \(userCode)", browser.owner(cookie))
            )
        case false?:
            try await authority.devices.deny(device, browser.caller(browser.owner(cookie)))
            return .turnedAway
        case true?: return try await approve(device, browser)
        }
    }

    private func name(of device: DeviceRequest) async throws -> String {
        try await authority.client(device.client)?.summary.name ?? device.client
    }

    private func approve(_ device: DeviceRequest, _ browser: Browser) async throws -> DeviceOutcome {
        let owner = browser.owner ?? Browser.fresh
        let caller = browser.caller(owner)
        switch try await authority.decide(device.request, for: nil, prompt: .auto, caller) {
        case .satisfied(let session, _):
            try await authority.devices.approve(device, session: session, caller)
            return .connected
        case .lacking(let requirement, let pending):
            let flow = try await browsers.begin(
                FlowRequest(
                    caller: caller,
                    client: device.client,
                    policy: device.request.policy,
                    requirement: requirement,
                    want: Flow.Want(scopes: device.request.scopes),
                    pending: pending,
                    // The browser keeps its earlier session cookie, which must not give access to a new session.
                    leavesSession: false
                ),
                browser
            )
            let body = Ticket.Body(flow: flow, end: .device(device, pending: pending.id))
            let (ticket, cookie) = try await tickets.open(body, owner: owner, browser)
            return .pages(ticket: ticket, cookie: cookie)
        }
    }
}
