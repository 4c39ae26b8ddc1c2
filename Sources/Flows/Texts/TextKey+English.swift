extension TextKey {
    /// The sentence in English.
    var english: String {
        switch self {
        case .attributesTitle: "Sign up"
        case .signInTitle: "Sign in"
        case .codeTitle: "Enter the code from the e-mail"
        case .pinTitle: "Enter your PIN"
        case .pinSetupTitle: "Choose a PIN"
        case .totpTitle: "Enter the code from your app"
        case .totpSetupTitle: "Add an authenticator app"
        case .recoveryTitle: "Keep your recovery codes"
        case .totpCode: "Code from your app"
        case .totpHint: "Six digits, or one of your recovery codes."
        case .totpPicture: "To scan"
        case .totpKey: "Key to type"
        case .recoveryCode: "Recovery code {number}"
        case .recoveryKept: "I have kept them"
        case .totpWrong: "That code is not correct, or was used before."
        case .totpSetupWrong: "That is not the code of this key now; look at the time of the device."
        case .totpMalformed: "A code has 6 digits, and a recovery code 10 letters and digits."
        case .recoveryNotKept: "Keep the codes first: they are not shown again."
        case .consentTitle: "Allow access"
        case .resetTitle: "Forgot your password?"
        case .newPasswordTitle: "Choose a new password"
        case .profileTitle: "Edit your profile"

        case .newPassword: "New password"
        case .password: "Password"
        case .code: "Code"
        case .pin: "PIN"
        case .newPIN: "New PIN"
        case .allow: "Allow"
        case .emailOrUsername: "E-mail address or user name"

        case .email: "E-mail address"
        case .username: "User name"
        case .displayName: "Display name"
        case .givenName: "Given name"
        case .surname: "Surname"
        case .jobTitle: "Job title"
        case .streetAddress: "Street address"
        case .postalCode: "Postal code"
        case .city: "City"
        case .state: "State or province"
        case .country: "Country or region"
        case .preferredLanguage: "Preferred language"

        case .interrupted: "The last answer could not be checked. Please answer again."
        case .wrong: "That is not correct."
        case .expired: "That took too long. Please answer again."
        case .credentialsWrong: "The name or the password is not correct."
        case .pinNeeded: "This data requires a PIN code."
        case .pinWrong: "That PIN is not correct."
        case .codeWrong: "That code is not correct."
        case .codeExpired: "The code has ended. Ask for another one."
        case .codeTooSoon: "Another code can be sent in {seconds} s."
        case .codeSent: "A code was sent to {hint}."
        case .codeInOutbox: "A code was sent to {hint} (in the outbox {outbox})."
        case .nameTaken: "There is an account of that name already."
        case .providerDenied: "The other service did not sign you in."
        case .providerNoAccount:
            "Nobody has an account here with that sign-in. Sign up first, or choose another way."

        case .missing: "An answer is needed."
        case .notText: "This must be text."
        case .notBoolean: "This must be true or false."
        case .notWhole: "This must be a whole number."
        case .tooShort: "At least {least} characters are needed."
        case .tooLong: "At most {most} characters are possible."
        case .notAnOption: "Possible answers are {options}."
        case .malformed: "This is not written as it should be."
        case .noAddress: "This is not an e-mail address, such as ann@example.org."
        case .forbiddenCharacters: "This has characters that cannot be shown."
        case .codeDigits: "A code has {digits} digits."
        case .notAsked: "Nobody asked for this."
        case .notFilledIn: "This cannot be filled in."
        case .tooManyAnswers: "There may be at most {most} answers."
        case .tooManyBytes: "The answers may have at most {most} bytes."

        case .pinTooShort: "A PIN needs at least {least} characters."
        case .pinTooLong: "A PIN has at most {most} characters."
        case .pinDigits: "A PIN has digits only."
        case .pinRuleDigits: "A PIN has {least} to {most} digits."
        case .pinRule: "A PIN has {least} to {most} characters."

        case .passwordTooShort: "A password needs at least {least} characters."
        case .passwordTooLong: "A password has at most {most} characters."
        case .passwordTooFewClasses:
            "A password needs {classes} of these: small letters, capitals, digits, symbols."
        case .passwordNotAllClasses:
            "A password needs small letters, capitals, digits and symbols."
        case .passwordLength: "A password has {least} to {most} characters."
        case .passwordClasses:
            "A password has {least} to {most} characters, with {classes} of these: small letters, capitals, digits, symbols."
        case .passwordAllClasses:
            "A password has {least} to {most} characters, with small letters, capitals, digits and symbols."

        case .codeMailSubject: "Your code"
        case .codeMail:
            """
            Your code is

            {code}

            It is good once, for ten minutes. If you did not ask for it, ignore this mail and give the code to nobody.

            """
        case .notInvitedMailSubject: "Sign-up is by invitation"
        case .notInvitedMail:
            """
            Somebody tried to sign up with this address. That needs an invitation, and there is none for it.

            If it was you, ask an operator for one. If not, do nothing.

            """
        case .accountExistsMailSubject: "You have an account"
        case .accountExistsMail:
            """
            Somebody tried to sign up with this address. You have an account already.

            If it was you, sign in instead. If not, do nothing.

            """
        }
    }
}
