import AuthorityStore
import FlowModel
import Localization
import Policies

enum Refusals {
    static let flowNotFound = Refusal(.flowNotFound, Text("refusal.noSuchFlow"))
    static let submissionInProgress = Refusal(.submissionInProgress, Text("refusal.answerInProgress"))
    static let submissionID = Refusal(.invalidAnswer, Text("refusal.submissionIDLength", ["max": FlowLimits.idLength]))
    static let expiredStep = Refusal(.expiredStep, Text("refusal.stepExpired"))
    static let wrongUser = Refusal(.wrongUser, Text("refusal.wrongUser"))

    static func unsupportedStep(_ step: StepType) -> Refusal {
        Refusal(.unsupportedStep, Text("refusal.unsupportedStep", ["step": step.rawValue]))
    }

    static func flowFinished(_ state: FlowState) -> Refusal {
        Refusal(.flowFinished, Text("refusal.flowEnded")).with(.state, state.name)
    }

    static func staleStep(rev: Int) -> Refusal {
        Refusal(.staleStep, Text("refusal.staleStep")).with(.revision, "\(rev)")
    }

    static func noSuchAction(_ action: String) -> Refusal {
        Refusal(.invalidAnswer, Text("refusal.actionNotOffered"))
            .because("action \(action.prefix(32).debugDescription)")
    }

    static func invalidAnswer(_ problems: [NodeProblem]) -> Refusal {
        var refusal = Refusal(
            .invalidAnswer,
            problems.first.map { Text(exactly: $0.text) } ?? Text("refusal.invalidAnswers")
        )
        refusal.nodes = problems
        return refusal
    }

    static func tooSoon(ms: Int64) -> Refusal {
        Refusal(.limitExceeded, Text("refusal.codeTooSoon", ["seconds": (ms + 999) / 1000]))
            .with(.limit, "resend").retrying(afterMs: ms)
    }

    static func tooManyFlows(_ limit: FlowOpening.Limit, retryAfterMs: Int64) -> Refusal {
        switch limit {
        case .ofOwner:
            Refusal(.limitExceeded, Text("refusal.tooManyOwnFlows"))
                .with(.limit, "flowsPerUid").retrying(afterMs: retryAfterMs)
        case .ofAll:
            Refusal(.limitExceeded, Text("refusal.tooManyFlows"))
                .with(.limit, "flows").retrying(afterMs: retryAfterMs)
        }
    }

    static let tooManyMails = Refusal(.limitExceeded, Text("refusal.tooManyMailsOfFlow"))
        .with(.limit, "mailsPerFlow")

    static func samePassword(in language: LanguageTag?) -> Refusal {
        let text = Text("refusal.samePassword")
        let problem = NodeProblem(name: "newPassword", code: .unchanged, text: text.words(in: language ?? .english))
        return invalidAnswer([problem]).saying(text)
    }

    static func addressNotTaken(in language: LanguageTag?) -> Refusal {
        let text = Text("refusal.addressNotTaken")
        let problem = NodeProblem(name: "email", code: .malformed, text: text.words(in: language ?? .english))
        return invalidAnswer([problem]).saying(text)
    }

    static let busy = Refusal(.limitExceeded, Text("refusal.tooManyPasswords"))
        .with(.limit, "kdfQueue").retrying(afterMs: 1000)

    static let tooSlow = Refusal(.limitExceeded, Text("refusal.answerTooSlow"))
        .with(.limit, "evaluation").retrying(afterMs: 1000)

    static let makesNoAccount = Refusal(.unmetAuthenticationRequirements, Text("refusal.makesNoAccount"))

    static let signUpClosed = Refusal(.notPermitted, Text("refusal.signUpClosed"))

    static let provesNoInvitation = Refusal(.notPermitted, Text("refusal.provesNoInvitation"))

    static let noAddress = Refusal(.unmetAuthenticationRequirements, Text("refusal.noAddressForCode"))

    static let pinNeedsUID = Refusal(.unmetAuthenticationRequirements, Text("refusal.pinNeedsProgram"))

    static func noPIN(_ check: Check) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, Text("refusal.noPIN"))
            .with(.check, check.name)
    }

    static let noSecondFactor = Refusal(.unmetAuthenticationRequirements, Text("refusal.noSecondFactor"))

    static let noProvider = Refusal(.providerUnavailable, Text("refusal.providerGone"))

    static func noSuchProvider(_ policy: Policy) -> Refusal {
        let names = policy.providers.isEmpty ? Text("refusal.noProvider").textValue : Text.comma(policy.providers)
        let values: [String: any TextParameter] = ["policy": policy.id.description, "providers": names]
        return Refusal(.unsupportedStep, Text("refusal.providerNotOfPolicy", values))
    }

    static func noSuchProvider(among names: [String]) -> Refusal {
        let text =
            names.isEmpty
            ? Text("refusal.noProviderSignsIn") : Text("refusal.noSuchProvider", ["providers": Text.comma(names)])
        return Refusal(.unsupportedStep, text)
    }

    static func linkedAlready(_ provider: String) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, Text("refusal.linkedAlready", ["provider": provider]))
    }

    static let notLinked = Refusal(.unmetAuthenticationRequirements, Text("refusal.notLinked"))

    static let lastWayIn = Refusal(.unmetAuthenticationRequirements, Text("refusal.lastWayIn"))

    static let tokenNotOurs = Refusal(.scopeDenied, Text("refusal.tokenNotOurs"))

    static let noAccountOfToken = Refusal(.notPermitted, Text("refusal.noAccountOfToken"))

    static func nothing(toRemove credential: Credential) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, Text("refusal.nothingToRemove", ["credential": credential.rawValue]))
    }

    static func noAuthenticator(_ check: Check) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, Text("refusal.noAuthenticator")).with(.check, check.name)
    }

    static func noWayIn(_ check: Check) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, Text("refusal.providerLetsNobodyIn")).with(.check, check.name)
    }

    static func noAccountOfRealm(_ check: Check) -> Refusal {
        Refusal(.unmetAuthenticationRequirements, Text("refusal.noAccountOfIdentity")).with(.check, check.name)
    }

    static let sessionEnded = Refusal(.interactionRequired, Text("refusal.sessionOver"))

    /// Returns the refusal for a user that an external service has rejected, with the service's own message.
    static func turnedAway(_ message: String) -> Refusal { Refusal(.notPermitted, Text(exactly: message)) }

    static let tooManyWaiters = Refusal(.limitExceeded, Text("refusal.tooManyWaiters")).with(.limit, "waiters")

    static func storageFailed(_ detail: String) -> Refusal {
        Refusal(.storageFailed, Text("refusal.dataNotStored")).because(detail)
    }
}
