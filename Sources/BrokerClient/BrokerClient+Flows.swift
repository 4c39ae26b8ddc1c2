public import BrokerAPI
public import FlowModel
import Foundation
public import OAuth

extension BrokerClient {
    /// Acquires a bearer token: from the cache, by renewal, or by a flow whose steps the handlers answer.
    ///
    /// - Parameter request: The request; a request id is added if it has none.
    /// - Returns: The token.
    /// - Throws: ``BrokerAPI/BrokerError`` if the broker refuses, ``ClientError`` with the flow if that ended without
    ///   success, or what a handler threw.
    public func acquireToken(_ request: AcquireRequest) async throws -> AcquiredToken {
        var request = request
        request.client = request.client ?? clientID
        request.requestID = request.requestID ?? Self.randomName()
        switch try await call(request) {
        case .token(let token): return token
        case .flow(let flow, _):
            let end = try await finish(flow)
            if let token = end.token { return token }
        }
        // Another caller that waits for the same flow received its token; it is in the cache.
        request.prompt = .none
        request.forceRefresh = false
        request.requestID = Self.randomName()
        guard case .token(let token) = try await call(request) else {
            throw ClientError(.unreadableAnswer, "the broker began a flow though it was asked not to")
        }
        return token
    }

    /// Acquires a bearer token that grants `scopes`.
    public func acquireToken(scopes: [String]) async throws -> AcquiredToken {
        try await acquireToken(AcquireRequest(scopes: scopes))
    }

    /// Runs a flow that results in a session: sign-up or sign-in.
    public func runFlow(
        policy: String,
        input: [String: JSONValue] = [:],
        account: String? = nil,
        mode: AcquireRequest.Mode = .native
    ) async throws -> FlowDocument {
        let start = StartFlowRequest(
            policy: policy,
            input: input,
            account: account,
            mode: mode,
            requestID: Self.randomName()
        )
        return try await runFlow(try await call(start).value)
    }

    /// Continues a flow until it has ended with success.
    ///
    /// - Parameter flow: An open flow, for example from ``flows()``; it may be of another connection or from before a
    ///   restart.
    /// - Returns: The flow at its end.
    /// - Throws: ``ClientError`` with the flow if it ended in another way, or the error of a handler; the flow is then
    ///   cancelled, as it is when this task is.
    public func runFlow(_ flow: FlowDocument) async throws -> FlowDocument {
        try await finish(flow).flow
    }

    /// Advances a flow to its successful end, and returns it with its token if it was for one.
    private func finish(_ flow: FlowDocument) async throws -> (flow: FlowDocument, token: AcquiredToken?) {
        var progress = FlowProgress(flow: flow)
        do {
            if let place = flow.browser { browsing?(.waits(place, until: flow.expiresAt)) }
            while !progress.flow.state.isTerminal {
                try Task.checkCancellation()
                progress = try await flow.browser == nil ? advance(progress) : changed(progress)
            }
        } catch {
            await cancel(progress.flow.id)
            throw error
        }
        guard progress.flow.state == .succeeded else {
            throw ClientError(.flowEnded, Self.sentence(about: progress.flow), flow: progress.flow)
        }
        return (progress.flow, progress.token)
    }

    /// The progress of a flow.
    private struct FlowProgress {
        var flow: FlowDocument
        var token: AcquiredToken?
        /// The refusal of the previous answer.
        var refusal: BrokerError?
    }

    /// Waits for a flow that is answered elsewhere.
    private func changed(_ progress: FlowProgress) async throws -> FlowProgress {
        let flow = progress.flow
        let now = try await call(FlowWait(flow: flow.id, sinceRev: flow.rev)).value
        if now.rev != flow.rev { browsing?(.changed(now)) }
        return FlowProgress(flow: now)
    }

    /// Answers the open step, or waits for the flow to change if it has none.
    private func advance(_ progress: FlowProgress) async throws -> FlowProgress {
        let flow = progress.flow
        guard flow.state == .challenge else {
            return FlowProgress(flow: try await call(FlowWait(flow: flow.id, sinceRev: flow.rev)).value)
        }
        guard let step = flow.step else {
            return FlowProgress(flow: try await call(FlowGet(flow: flow.id)).value)
        }
        guard let handler = handler(for: step) else {
            throw ClientError(.unhandledChallenge, "nobody here can answer the step \(step.title)", flow: flow)
        }
        let answer = try await handler.answer(Challenge(flow: flow, step: step, refusal: progress.refusal))
        do {
            return try await send(answer, flow, step)
        } catch let error as BrokerError {
            return try await recover(from: error, flow)
        }
    }

    private func send(_ answer: Answer, _ flow: FlowDocument, _ step: StepDocument) async throws -> FlowProgress {
        switch answer {
        case .fields(let fields):
            let submission = FlowSubmission(
                flow: flow.id,
                step: step.id,
                submissionID: Self.randomName(),
                answers: fields
            )
            let result = try await call(submission)
            return FlowProgress(flow: result.flow, token: result.token)
        case .action(let name, let value):
            let action = FlowAction(
                flow: flow.id,
                step: step.id,
                action: name,
                submissionID: Self.randomName(),
                value: value
            )
            return FlowProgress(flow: try await call(action).value)
        }
    }

    /// Returns the flow after a refusal that leaves it open; rethrows any other error.
    private func recover(from error: BrokerError, _ flow: FlowDocument) async throws -> FlowProgress {
        switch error.refusal {
        case .invalidAnswer, .limitExceeded, .providerUnavailable, .providerProtocol:
            return FlowProgress(flow: flow, refusal: error)
        case .staleStep, .expiredStep, .submissionInProgress, .flowFinished:
            return FlowProgress(flow: try await call(FlowGet(flow: flow.id)).value)
        default: throw error
        }
    }

    /// Cancels a flow that will not be answered, even if this task was cancelled; the result is ignored.
    private func cancel(_ flow: String) async {
        let ending = Task { _ = try? await self.call(FlowCancel(flow: flow)) }
        await ending.value
    }

    /// Makes a request or submission id of random bits, a UUID.
    private static func randomName() -> String { UUID().uuidString.lowercased() }

    private static func sentence(about flow: FlowDocument) -> String {
        switch flow.state {
        case .failed(.blocked): "there were too many wrong answers; try again later"
        case .failed(.denied): "the broker denied it"
        case .failed(.wrongUser): "somebody else than the required user signed in"
        case .failed(.userCancelled), .cancelled: "it was cancelled"
        case .failed(.expired), .expired: "its time ended"
        case .failed(let reason): "it failed (\(reason.rawValue))"
        case .challenge, .pending, .succeeded: "it has not ended"
        }
    }
}
