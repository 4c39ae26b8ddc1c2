import AuthorityStore
import FlowModel
import Policies

/// The refusals of flows, each with its sentence.
enum Refusals {
    static let flowNotFound = Refusal(.flowNotFound, "there is no such flow")
    static let submissionInProgress = Refusal(.submissionInProgress, "another answer of this flow is being evaluated")
    static let submissionID = Refusal(
        .invalidAnswer,
        "a submissionId has 1 to \(FlowLimits.idLength) characters"
    )
    static let expiredStep = Refusal(.expiredStep, "the time for this step has ended; the flow goes on with another")
    static let wrongUser = Refusal(.wrongUser, "another person than the one that was asked for signed in")

    static func unsupportedStep(_ step: StepType) -> Refusal {
        Refusal(.unsupportedStep, "a step of type \(step.rawValue) is needed, which this program does not show")
    }

    static func flowFinished(_ state: FlowState) -> Refusal {
        Refusal(.flowFinished, "the flow has ended").with(.state, state.name)
    }

    static func staleStep(rev: Int) -> Refusal {
        Refusal(.staleStep, "this is not the step that is open").with(.revision, "\(rev)")
    }

    static func noSuchAction(_ action: String) -> Refusal {
        Refusal(.invalidAnswer, "the open step does not offer this action")
            .because("action \(action.prefix(32).debugDescription)")
    }

    static func invalidAnswer(_ problems: [NodeProblem]) -> Refusal {
        var refusal = Refusal(.invalidAnswer, problems.first?.text ?? "the answers are not what was asked for")
        refusal.nodes = problems
        return refusal
    }

    static func tooSoon(ms: Int64, _ texts: Texts) -> Refusal {
        Refusal(.limitExceeded, texts[.codeTooSoon, ["seconds": "\((ms + 999) / 1000)"]])
            .with(.limit, "resend").retrying(afterMs: ms)
    }

    static func tooManyFlows(_ limit: FlowOpening.Limit, retryAfterMs: Int64) -> Refusal {
        switch limit {
        case .ofOwner:
            Refusal(.limitExceeded, "too many of your sign-ins are open; finish or cancel one")
                .with(.limit, "flowsPerUid").retrying(afterMs: retryAfterMs)
        case .ofAll:
            Refusal(.limitExceeded, "too many sign-ins of everybody are open; try again later")
                .with(.limit, "flows").retrying(afterMs: retryAfterMs)
        }
    }

    static let tooManyMails = Refusal(.limitExceeded, "this flow has sent as many codes as it may")
        .with(.limit, "mailsPerFlow")

    static let samePassword = invalidAnswer([
        NodeProblem(name: "newPassword", code: .unchanged, text: "this is the old password; choose another one")
    ])

    static let busy = Refusal(.limitExceeded, "too many passwords are being checked; try again")
        .with(.limit, "kdfQueue").retrying(afterMs: 1000)

    static let tooSlow = Refusal(.limitExceeded, "the answer could not be checked in time; try again")
        .with(.limit, "evaluation").retrying(afterMs: 1000)

    static let makesNoAccount = Refusal(
        .unmetAuthenticationRequirements,
        "this policy cannot make an account for whom it was asked"
    )

    static let signUpClosed = Refusal(.notPermitted, "sign-up is closed here; ask an operator for an account")

    static let provesNoInvitation = Refusal(
        .notPermitted,
        "sign-up is by invitation here, and this policy signs up without the address that one is for"
    )

    static let noAddress = Refusal(
        .unmetAuthenticationRequirements,
        "a code is needed, and there is no address to send one to"
    )

    static let pinNeedsUID = Refusal(
        .unmetAuthenticationRequirements,
        "a PIN is needed, which only a program of the person's own machine can ask for"
    )

    static func noPIN(_ check: Check) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, "a PIN is needed and there is none; run `tokenbroker pin enrol`")
            .with(.check, check.name)
    }

    static let noSecondFactor = Refusal(
        .unmetAuthenticationRequirements,
        "the policy asks for a second factor, and its checks have gone"
    )

    static let noProvider = Refusal(.providerUnavailable, "this provider is not configured any more")

    static func noSuchProvider(_ policy: Policy) -> Refusal {
        let names = policy.providers.isEmpty ? "no provider" : policy.providers.joined(separator: ", ")
        return Refusal(.unsupportedStep, "\(policy.id) does not sign in with this provider; it has \(names)")
    }

    static func noSuchProvider(among names: [String]) -> Refusal {
        let all = names.isEmpty ? "there is none" : "there are: \(names.joined(separator: ", "))"
        return Refusal(.unsupportedStep, "no policy signs in with this provider; \(all)")
    }

    static func linkedAlready(_ provider: String) -> Refusal {
        Refusal(
            .unmetAuthenticationRequirements,
            "an account at \(provider) is linked already, and one is all there can be; remove it first"
        )
    }

    static let notLinked = Refusal(
        .unmetAuthenticationRequirements,
        "no account at this provider is linked to this one"
    )

    static let lastWayIn = Refusal(
        .unmetAuthenticationRequirements,
        "this is the only way to sign in to this account; link an account at another provider first"
    )

    static let tokenNotOurs = Refusal(
        .scopeDenied,
        "the provider's token is not valid, or was not issued to this service's registration there"
    )

    static let noAccountOfToken = Refusal(
        .notPermitted,
        "the person of this token has no account here, and the policy makes none"
    )

    static func nothing(toRemove credential: Credential) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, "there is no \(credential.rawValue) to remove")
    }

    static func noAuthenticator(_ check: Check) -> Refusal {
        Refusal(
            .unmetAuthenticationRequirements,
            "an authenticator is needed and there is none; run `tokenbroker totp enrol`"
        ).with(.check, check.name)
    }

    static func noWayIn(_ check: Check) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, "the identity provider lets nobody in now").with(.check, check.name)
    }

    static func noAccountOfRealm(_ check: Check) -> Refusal {
        Refusal(
            .unmetAuthenticationRequirements,
            "nobody here is known by this account at the identity provider, and this policy makes no accounts"
        ).with(.check, check.name)
    }

    static let sessionEnded = Refusal(.interactionRequired, "the session has ended; somebody has to sign in")

    static func turnedAway(_ message: String) -> Refusal { Refusal(.notPermitted, message) }

    static let tooManyWaiters = Refusal(.limitExceeded, "too many calls wait for flows").with(.limit, "waiters")

    /// The refusal while another process holds the store; the store itself is sound.
    static func busy(_ detail: String) -> Refusal {
        Refusal(.limitExceeded, "the store is busy; try again").because(detail).retrying(afterMs: 1_000)
    }

    static func storageFailed(_ detail: String) -> Refusal {
        Refusal(.storageFailed, "the data could not be stored or read").because(detail)
    }
}
