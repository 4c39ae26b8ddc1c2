/// The sentences of flows, by the keys under which every language has them; a part in braces is filled in.
enum TextKey: String, CaseIterable, Hashable, Sendable {
    case attributesTitle = "attributes.title"
    case signInTitle = "signIn.title"
    case codeTitle = "code.title"
    case pinTitle = "pin.title"
    case pinSetupTitle = "pin_setup.title"
    case consentTitle = "consent.title"
    case resetTitle = "reset.title"
    case newPasswordTitle = "new_password.title"
    case profileTitle = "profile.title"

    case newPassword = "password.new"
    case password
    case code
    case pin
    case newPIN = "pin.new"
    case allow
    case emailOrUsername = "name.emailOrUsername"

    case email = "attribute.email"
    case username = "attribute.username"
    case displayName = "attribute.displayName"
    case givenName = "attribute.givenName"
    case surname = "attribute.surname"
    case jobTitle = "attribute.jobTitle"
    case streetAddress = "attribute.streetAddress"
    case postalCode = "attribute.postalCode"
    case city = "attribute.city"
    case state = "attribute.state"
    case country = "attribute.country"
    case preferredLanguage = "attribute.preferredLanguage"

    case interrupted = "evaluation.interrupted"
    case wrong = "answer.wrong"
    case expired = "step.expired"
    case credentialsWrong = "credentials.wrong"
    case pinNeeded = "pin.needed"
    case pinWrong = "pin.wrong"
    case codeWrong = "code.wrong"
    case codeExpired = "code.expired"
    case codeTooSoon = "code.tooSoon"
    case codeSent = "code.sent"
    case codeInOutbox = "code.sent.outbox"
    case nameTaken = "name.taken"
    case providerDenied = "provider.denied"
    case providerNoAccount = "provider.noAccount"

    case missing = "problem.missing"
    case notText = "problem.notText"
    case notBoolean = "problem.notBoolean"
    case notWhole = "problem.notWhole"
    case tooShort = "problem.tooShort"
    case tooLong = "problem.tooLong"
    case notAnOption = "problem.notAnOption"
    case malformed = "problem.malformed"
    case noAddress = "problem.noAddress"
    case forbiddenCharacters = "problem.forbiddenCharacters"
    case codeDigits = "problem.codeDigits"
    case notAsked = "problem.notAsked"
    case notFilledIn = "problem.notFilledIn"
    case tooManyAnswers = "problem.tooManyAnswers"
    case tooManyBytes = "problem.tooManyBytes"

    case pinTooShort = "pin.tooShort"
    case pinTooLong = "pin.tooLong"
    case pinDigits = "pin.notDigits"
    case pinRuleDigits = "pin.rule.digits"
    case pinRule = "pin.rule"

    case passwordTooShort = "password.tooShort"
    case passwordTooLong = "password.tooLong"
    case passwordTooFewClasses = "password.tooFewClasses"
    case passwordNotAllClasses = "password.notAllClasses"
    case passwordLength = "password.rule.length"
    case passwordClasses = "password.rule.classes"
    case passwordAllClasses = "password.rule.allClasses"

    case codeMailSubject = "mail.code.subject"
    case codeMail = "mail.code"
    case notInvitedMailSubject = "mail.notInvited.subject"
    case notInvitedMail = "mail.notInvited"
    case accountExistsMailSubject = "mail.accountExists.subject"
    case accountExistsMail = "mail.accountExists"

    /// The label of a built-in attribute.
    init?(attribute name: String) { self.init(rawValue: "attribute.\(name)") }
}
