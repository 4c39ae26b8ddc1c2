public import Authority
import AuthorityStore
import FlowModel
import Flows
import Moments
public import OAuth
import Policies

/// The outcome of a user code that a person has typed.
public enum DeviceOutcome: Sendable {
    /// No device waits under this code.
    case unknown
    /// The person has to decide; each scope is in words.
    case asks(DeviceRequest, client: String, scopes: [String], csrf: String)
    /// The person goes on at the pages of a ticket: to prove who they are, with this cookie, or with the flow of a terminal,
    /// which no browser has yet.
    case pages(ticket: Secret, cookie: Secret?)
    /// The device may go on.
    case connected
    /// The device was turned away.
    case turnedAway
}

/// The decisions of people on devices, whose codes they type (RFC 8628 §3.3).
public struct DeviceApprovals: Sendable {
    let browsers: BrowserFlows

    private var authority: Authority { browsers.authority }
    private var tickets: Tickets { browsers.tickets }

    /// The token of the form that a user code is typed in, and the new cookie of the browser that it is bound to.
    public func form(_ browser: Browser) -> (csrf: String, cookie: Secret) {
        let cookie = Handle.random()
        return (tickets.token(of: "device", browser.owner(cookie)), cookie)
    }

    /// Finds the device that waits under a code, or takes the person's decision on it.
    ///
    /// The person decides on every device, whatever its client and however the code came here (RFC 8628 §5.4).
    ///
    /// - Parameters:
    ///   - userCode: The code.
    ///   - csrf: The token of the form.
    ///   - allows: The decision; nil if the person was not asked yet.
    ///   - browser: The browser.
    /// - Returns: What follows.
    /// - Throws: `BrowserProblem.forged`; `Refusal`, `limit_exceeded` with the time to wait.
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

    /// The name of a device's client.
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
                    // The cookie of this browser was given before the person proved anything.
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
