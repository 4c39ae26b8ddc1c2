import BrokerAPI
import FlowModel
import OAuth

/// Leads a flow to its end: answers its steps by the client's handlers, and waits where somebody else answers.
struct FlowRunner {
    let broker: BrokerClient

    /// The progress of a flow.
    private struct Progress {
        var flow: FlowDocument
        var token: AcquiredToken?
        /// The refusal of the previous answer.
        var refusal: BrokerError?
    }

    /// Advances a flow to its successful end, and returns it with its token if it was for one.
    func finish(_ flow: FlowDocument) async throws -> (flow: FlowDocument, token: AcquiredToken?) {
        var progress = Progress(flow: flow)
        do {
            if let place = flow.browser { broker.browsing?(.waits(place, until: flow.expiresAt)) }
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

    /// Waits for a flow that is answered elsewhere.
    private func changed(_ progress: Progress) async throws -> Progress {
        let flow = progress.flow
        let now = try await broker.call(FlowWait(flow: flow.id, sinceRev: flow.rev)).value
        if now.rev != flow.rev { broker.browsing?(.changed(now)) }
        return Progress(flow: now)
    }

    /// Answers the open step, or waits for the flow to change if it has none.
    private func advance(_ progress: Progress) async throws -> Progress {
        let flow = progress.flow
        guard flow.state == .challenge else {
            return Progress(flow: try await broker.call(FlowWait(flow: flow.id, sinceRev: flow.rev)).value)
        }
        guard let step = flow.step else {
            return Progress(flow: try await broker.call(FlowGet(flow: flow.id)).value)
        }
        guard let handler = broker.handler(for: step) else {
            throw ClientError(.unhandledChallenge, "nobody here can answer the step \(step.title)", flow: flow)
        }
        let answer = try await handler.answer(Challenge(flow: flow, step: step, refusal: progress.refusal))
        do {
            return try await send(answer, flow, step)
        } catch let error as BrokerError {
            return try await recover(from: error, flow)
        }
    }

    private func send(_ answer: Answer, _ flow: FlowDocument, _ step: StepDocument) async throws -> Progress {
        switch answer {
        case .fields(let fields):
            let submission = FlowSubmission(
                flow: flow.id,
                step: step.id,
                submissionID: BrokerClient.randomName(),
                answers: fields
            )
            let result = try await broker.call(submission)
            return Progress(flow: result.flow, token: result.token)
        case .action(let name, let value):
            let action = FlowAction(
                flow: flow.id,
                step: step.id,
                action: name,
                submissionID: BrokerClient.randomName(),
                value: value
            )
            return Progress(flow: try await broker.call(action).value)
        }
    }

    /// Returns the flow after a refusal that leaves it open; rethrows any other error.
    private func recover(from error: BrokerError, _ flow: FlowDocument) async throws -> Progress {
        switch error.refusal {
        case .invalidAnswer, .limitExceeded, .providerUnavailable, .providerProtocol:
            return Progress(flow: flow, refusal: error)
        case .staleStep, .expiredStep, .submissionInProgress, .flowFinished:
            return Progress(flow: try await broker.call(FlowGet(flow: flow.id)).value)
        default: throw error
        }
    }

    /// Cancels a flow that will not be answered, even if this task was cancelled; the result is ignored.
    private func cancel(_ flow: String) async {
        let ending = Task { [broker] in _ = try? await broker.call(FlowCancel(flow: flow)) }
        await ending.value
    }

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
