import FlowModel

/// The refusals of flows, each with its sentence.
enum Refusals {
    static let flowNotFound = Refusal(.flowNotFound, "There is no such flow.")
    static let submissionInProgress = Refusal(.submissionInProgress, "Another answer of this flow is being evaluated.")
    static let submissionID = Refusal(
        .invalidAnswer,
        "A submissionId has 1 to \(FlowLimits.idLength) characters."
    )
    static let expiredStep = Refusal(.expiredStep, "The time for this step has ended; the flow goes on with another.")
    static let wrongUser = Refusal(.wrongUser, "Another person than the one that was asked for signed in.")

    static func flowFinished(_ state: FlowState) -> Refusal {
        Refusal(.flowFinished, "The flow has ended.").with("state", state.name)
    }

    static func staleStep(rev: Int) -> Refusal {
        Refusal(.staleStep, "This is not the step that is open.").with("rev", "\(rev)")
    }

    static func noSuchAction(_ action: String) -> Refusal {
        Refusal(.invalidAnswer, "The open step does not offer this action.")
            .because("action \(action.prefix(32).debugDescription)")
    }

    static func invalidAnswer(_ problems: [NodeProblem]) -> Refusal {
        var refusal = Refusal(.invalidAnswer, problems.first?.text ?? "The answers are not what was asked for.")
        refusal.nodes = problems
        return refusal
    }

    static func tooSoon(ms: Int64) -> Refusal {
        Refusal(.limitExceeded, "Another code can be sent in a moment.")
            .with("limit", "resend").retrying(afterMs: ms)
    }

    static let tooManyMails = Refusal(.limitExceeded, "This flow has sent as many codes as it may.")
        .with("limit", "mailsPerFlow")

    static let busy = Refusal(.limitExceeded, "Too many passwords are being checked; try again.")
        .with("limit", "kdfQueue").retrying(afterMs: 1000)

    static let tooSlow = Refusal(.limitExceeded, "The answer could not be checked in time; try again.")
        .with("limit", "evaluation").retrying(afterMs: 1000)

    static let makesNoAccount = Refusal(
        .unmetAuthenticationRequirements,
        "This policy cannot make an account for whom it was asked."
    )

    static let noAddress = Refusal(
        .unmetAuthenticationRequirements,
        "A code is needed, and there is no address to send one to."
    )

    static let sessionEnded = Refusal(.interactionRequired, "The session has ended; somebody has to sign in.")

    static let tooManyWaiters = Refusal(.limitExceeded, "Too many calls wait for flows.").with("limit", "waiters")

    static func blocked(_ check: String, retryAfterMs: Int64) -> Refusal {
        Refusal(.blocked, "Too many wrong answers; try again later.").with("check", check)
            .retrying(afterMs: retryAfterMs)
    }

    static func storageFailed(_ detail: String) -> Refusal {
        Refusal(.storageFailed, "The data could not be stored or read.").because(detail)
    }
}
