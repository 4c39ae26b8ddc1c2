import BrokerAPI
import FlowModel
import Foundation
import OAuth

/// The result of a successful flow.
struct FlowEnd: Sendable {
    let flow: Flow
    /// The flow's token, or `nil` if the flow does not return a token or another call has received the token.
    let token: AcquiredToken?
    /// The account of the user who answered the flow's steps, or `nil` if the account is unknown.
    let account: String?
}

/// Answers a flow's steps with the client's handlers, and waits while a browser or another program continues the flow.
struct FlowRunner {
    let broker: BrokerClient

    /// The maximum time that a handler can take to answer a step, even if the step expires later.
    private static let longestAnswer: Duration = .seconds(900)
    /// How long a handler can keep running after its step has expired, so that it can detect the expiry itself.
    private static let grace: Duration = .seconds(5)

    private struct Progress {
        var flow: Flow
        var isElsewhere = false
        var token: AcquiredToken?
        var refusal: BrokerError?
        /// The handlers to notify when the flow ends; `step` is the step's check, or else the step's type.
        var asked: [(step: String, handler: any ChallengeHandler)] = []
        mutating func take(_ next: Flow, token: AcquiredToken? = nil, refusal: BrokerError? = nil) {
            flow = next
            self.token = token
            self.refusal = refusal
        }
    }

    /// Runs a flow until it ends, and throws an error if it ends without success.
    func finish(_ flow: Flow) async throws -> FlowEnd {
        var progress = Progress(flow: flow)
        do {
            while !progress.flow.state.isTerminal {
                try Task.checkCancellation()
                if let place = progress.flow.browser {
                    progress.isElsewhere = true
                    broker.browsing?(.waits(place, until: progress.flow.expiresAt))
                }
                if progress.isElsewhere { try await changed(&progress) } else { try await advance(&progress) }
            }
            guard progress.flow.state == .succeeded else {
                throw ClientError(.flowEnded, Self.end(of: progress.flow), flow: progress.flow)
            }
        } catch {
            if !progress.flow.state.isTerminal { await cancel(progress.flow.id) }
            let failure = ChallengeFailure(flow: progress.flow, error: error)
            await tell(progress) { await $0.failed(failure) }
            throw error
        }
        let success = ChallengeSuccess(
            flow: progress.flow,
            account: progress.token?.account ?? progress.flow.account
        )
        await tell(progress) { await $0.succeeded(success) }
        return FlowEnd(flow: progress.flow, token: progress.token, account: success.account)
    }

    /// Runs `flow` when no other flow is being answered, or returns `nil` if another flow was answered in the meantime.
    ///
    /// `count` is the value of ``PromptQueue/ended`` when `flow` was requested. A flow that a browser continues never
    /// waits for other flows.
    func turn(for flow: Flow, since count: Int) async throws -> FlowEnd? {
        if flow.browser != nil { return try await finish(flow) }
        switch try await broker.prompts.turn(for: flow, since: count, { try await finish(flow) }) {
        case .ended(let end): return end
        case .later: return nil
        case .refused(let error):
            _ = try? await broker.call(FlowCancel(flow: flow.id))
            throw error
        }
    }

    /// Calls `hook` for each handler that was asked to answer one of the flow's steps.
    private func tell(
        _ progress: Progress,
        _ hook: @escaping @Sendable (any ChallengeHandler) async -> Void
    ) async {
        let late = ClientError(.deadlinePassed, .handlerStuck)
        for (_, handler) in progress.asked {
            // The flow has already ended, so a handler that takes too long cannot change the result.
            _ = try? await Timeout.run(for: broker.longestHook, late: late) { await hook(handler) }
        }
    }

    private func changed(_ progress: inout Progress) async throws {
        let flow = progress.flow
        let now = try await broker.call(FlowWait(flow: flow.id, sinceRev: Int64(flow.rev)))
        let opener = now.openedBy == flow.openedBy ? nil : now.openedBy
        if let opener { broker.browsing?(.opened(opener)) }
        // Opening the flow's link also creates a revision, which is not reported as a change if the step is the same.
        let isSameStep = now.step?.id == flow.step?.id && now.state == flow.state
        if now.rev != flow.rev, opener == nil || !isSameStep { broker.browsing?(.changed(now)) }
        progress.take(now)
    }

    private func advance(_ progress: inout Progress) async throws {
        let flow = progress.flow
        guard flow.state == .challenge else {
            return progress.take(try await broker.call(FlowWait(flow: flow.id, sinceRev: Int64(flow.rev))))
        }
        guard let step = flow.step else {
            return progress.take(try await broker.call(FlowGet(flow: flow.id)))
        }
        guard let handler = broker.handlers.innermostHandler(for: step) else {
            throw ClientError(.unhandledChallenge, .noHandler(step: step.title), flow: flow)
        }
        let name = step.check ?? step.type.rawValue
        if !progress.asked.contains(where: { $0.step == name }) { progress.asked.append((name, handler)) }
        let challenge = Challenge(flow: flow, step: step, refusal: progress.refusal)
        let late = ClientError(.deadlinePassed, .stepTooSlow(step.title), flow: flow)
        let answer = try await Timeout.run(for: Self.time(for: flow), late: late) {
            try await handler.answer(challenge)
        }
        do {
            try await send(answer, step, &progress)
        } catch let error as BrokerError {
            try await recover(from: error, &progress)
        }
    }

    /// Returns how long to wait for a handler: until shortly after its step expires, but at most ``longestAnswer``.
    private static func time(for flow: Flow) -> Duration {
        let left = Double(flow.stepExpiresAt ?? flow.expiresAt) / 1000 - Date().timeIntervalSince1970
        return min(max(.seconds(left), .zero) + grace, longestAnswer)
    }

    private func send(_ answer: Answer, _ step: Step, _ progress: inout Progress) async throws {
        let flow = progress.flow
        switch answer {
        case .fields(let fields):
            let submission = FlowSubmission(
                flow: flow.id,
                step: step.id,
                submissionID: Self.randomName(),
                answers: fields
            )
            let result = try await broker.call(submission)
            progress.take(result.flow, token: result.token)
        case .action(let name, let value):
            let action = FlowAction(
                flow: flow.id,
                step: step.id,
                action: name,
                submissionID: Self.randomName(),
                value: value
            )
            progress.take(try await broker.call(action))
        case .cancel(let reason):
            progress.take(try await broker.call(FlowCancel(flow: flow.id, reason: reason)))
        }
    }

    /// Continues the flow if `error` is a refusal that leaves the flow open, and rethrows any other error.
    private func recover(from error: BrokerError, _ progress: inout Progress) async throws {
        switch error.refusal {
        case .invalidAnswer, .limitExceeded, .providerUnavailable, .providerProtocol:
            progress.refusal = error
        case .staleStep, .expiredStep, .submissionInProgress, .flowFinished:
            progress.take(try await broker.call(FlowGet(flow: progress.flow.id)))
        default: throw error
        }
    }

    /// Cancels a flow, even if the current task was cancelled, and ignores errors.
    private func cancel(_ flow: String) async {
        let ending = Task { [broker] in _ = try? await broker.call(FlowCancel(flow: flow)) }
        await ending.value
    }

    static func randomName() -> String { UUID().uuidString.lowercased() }

    private static func end(of flow: Flow) -> ClientError.Reason {
        flow.message.map(ClientError.Reason.stated) ?? .flow(flow.state)
    }
}
