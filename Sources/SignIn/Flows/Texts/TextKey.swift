/// The catalog keys of the strings in flows.
///
/// Web pages use the same strings. A policy's `languages.overrides` can replace them.
enum TextKey: String, CaseIterable, Hashable, Sendable {
    case attributesTitle = "step.attributes.title"
    case identifierTitle = "step.identifier.title"
    case passwordTitle = "step.password.title"
    case providerTitle = "step.provider.title"
    case providerChoice = "providers.name"
    case linkTitle = "step.provider.link.title"
    case outsideTitle = "step.outside.title"
    case codeTitle = "step.code.title"
    case pinTitle = "step.pin.title"
    case pinSetupTitle = "step.pin_setup.title"
    case totpTitle = "step.totp.title"
    case totpSetupTitle = "step.totp_setup.title"
    case recoveryTitle = "step.recovery_codes.title"
    case externalTitle = "step.external.title"
    case consentTitle = "step.consent.title"
    case resetTitle = "step.identifier.password_reset.title"
    case newPasswordTitle = "step.new_password.title"
    case passwordChangeTitle = "step.password_change.title"
    case profileTitle = "step.profile.title"

    case pinChoice = "choice.pin"
    case totpChoice = "choice.totp"
    case codeChoice = "choice.code"

    case oldPassword = "node.oldPassword"
    case newPassword = "node.newPassword"
    case password = "node.password"
    case rememberMe = "node.rememberMe"
    case code = "node.code"
    case pin = "node.pin"
    case newPIN = "node.newPin"
    case totpCode = "node.appCode"
    case totpHint = "hint.appCode"
    case totpPicture = "node.uri"
    case totpKey = "node.secret"
    case recoveryCode = "node.recovery"
    case recoveryKept = "node.kept"
    case externalAnswer = "node.anything"
    case assertion = "node.assertion"
    case outsideAddress = "node.open"
    case outsideEnd = "node.callbackUrl"
    case outsideHint = "hint.callbackUrl"
    case outsideMalformed = "problem.callbackUrl"
    case allow = "step.consent.allow"

    case email = "node.username.email"
    case username = "node.username.username"
    case emailOrUsername = "node.username.both"

    case connectorFailed = "message.connector.failed"
    case interrupted = "message.evaluation.interrupted"
    case wrong = "message.answer.wrong"
    case expired = "message.step.expired"
    case assertionWrong = "message.assertion.wrong"
    case credentialsWrong = "message.credentials.wrong"
    case passwordExpired = "message.password.expired"
    case pinNeeded = "step.pin.lead"
    case pinWrong = "message.pin.wrong"
    case totpWrong = "message.totp.wrong"
    case totpSetupWrong = "message.totp_setup.wrong"
    case codeWrong = "message.code.wrong"
    case codeExpired = "message.code.expired"
    case codeSent = "step.code.lead"
    case codeInOutbox = "message.code.sent.outbox"
    case nameTaken = "message.name.taken"
    case providerDenied = "message.provider.denied"
    case providerNoAccount = "message.provider.noAccount"
    case linkedBefore = "message.link.before"
    case linkedElsewhere = "message.link.elsewhere"
    case wordsWrong = "message.words.wrong"
    case linkedMeanwhile = "message.link.meanwhile"
    case lastWayIn = "message.link.lastWayIn"

    case forbiddenCharacters = "answers.forbiddenCharacters"
    case tooManyItems = "answers.tooManyItems"
    case itemTwice = "answers.itemTwice"
    case notFilledIn = "answers.notFilledIn"
    case tooManyAnswers = "answers.tooMany"
    case tooManyBytes = "answers.tooLarge"

    case ruleLength = "rule.length"
    case ruleDigits = "rule.digits"

    case codeMailSubject = "mail.code.subject"
    case plainCodeMailSubject = "mail.code.subject.withoutCode"
    case codeMail = "mail.code.body"
    case notInvitedMailSubject = "mail.notInvited.subject"
    case notInvitedMail = "mail.notInvited.body"
    case accountExistsMailSubject = "mail.accountExists.subject"
    case accountExistsMail = "mail.accountExists.body"
    case localOrigin = "mail.origin.local"
    case unknownOrigin = "mail.origin.unknown"

    /// The `code` of the message that contains this text.
    var messageCode: String {
        Self.leads[self] ?? (rawValue.hasPrefix("message.") ? String(rawValue.dropFirst("message.".count)) : rawValue)
    }

    /// The codes of the messages that web pages show under the heading.
    private static let leads: [TextKey: String] = [
        .pinNeeded: "pin.needed", .codeSent: "code.sent", .codeInOutbox: "code.sent",
    ]
}
