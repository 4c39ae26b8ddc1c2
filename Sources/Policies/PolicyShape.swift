import FlowModel
public import StrictYAML

/// The keys and values that a policy's file may have.
public enum PolicyShape {
    /// Every key of `policies/<id>.yaml`.
    public static let policy: Shape = .object([
        Key(
            required: "kind",
            .choice(PolicyKind.allCases.map(\.rawValue)),
            "What the policy does."
        ),
        Key("displayName", .text(.init(maxLength: 256)), "What people see it called; if left out, its kind in words."),
        Key("extends", .either([.choice(["none"]), .text(policyID)]), default: "none", extendsMeaning),
        Key(
            "identityProviders",
            .list(.text(providerName), count: 1...32),
            default: "[local]",
            "Who proves people: `local` is this authority, others are names of `identityProviders` in `tokenbrokerd.yaml`. Without all of them the policy is unavailable."
        ),
        Key(
            "signInName",
            .choice(SignInName.allCases.map(\.rawValue)),
            default: "email",
            "What people type to say who they are."
        ),
        Key("attributes", .list(.object(attribute), count: 0...100), default: "[]", attributesMeaning),
        Key(
            "claims",
            .list(.either([.text(.init(maxLength: 64, form: "an attribute's name")), .object(claim)]), count: 0...100),
            default: "[]",
            "What tokens say beside `sub` and `oid`: attributes, `newUser`, `identityProvider`, `emails`, `imf.user`."
        ),
        Key("tokens", .object(tokens), "How long tokens live."),
        Key("session", .object(session), "How the policy remembers who has signed in."),
        Key("password", password, default: "{strength: strong}", "What a new password must look like."),
        Key("signInChecks", checkNames, default: "[UserLogin]", "The checks that sign a person in; at least one."),
        Key("secondFactor", .object(secondFactor), "A second proof after the sign-in's."),
        Key(
            "scopes",
            .dictionary(key: scopeName, checkNames, count: 0...1000),
            default: "{}",
            "The scopes the policy grants and the checks that each asks for; a scope left out is not granted."
        ),
        Key("mandatoryScope", checkNames, default: "[]", "Checks that every token asks for, whatever its scopes."),
        Key("connectors", .later(.anything, needs: "calls outside between steps"), default: "{}", "Calls outside."),
        Key("pages", .object(pages), "The look of pages and prompts."),
        Key("languages", .object(languages), "The language of texts."),
        Key("authority", .later(.anything, needs: "outside authorities"), "An outside authority that runs the policy."),
        Key("policy", .later(.anything, needs: "outside authorities"), "The policy's name there."),
    ])

    private static let extendsMeaning =
        "Another policy whose keys count where this one leaves them out; mappings are joined, lists replaced."
    private static let attributesMeaning =
        "What sign-up asks, in this order, the sign-in name first if it is not listed; or what a profile edit lets people change."

    static let policyID = TextRule(
        maxLength: PolicyID.maximumLength,
        form: "a policy's name",
        pattern: "^[bB]2[cC]_1_\\w+$"
    ) {
        (try? PolicyID($0)) == nil ? "names no policy: \(PolicyID.Invalid())" : nil
    }

    static let providerName = TextRule(
        maxLength: 64,
        form: "`local` or a provider's name",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$"
    ) {
        $0.isName(marks: "._-", digitFirst: true) ? nil : "must be letters, digits, dots, hyphens and underscores"
    }

    static let checkName = TextRule(maxLength: 64, form: "a check's name", pattern: "^[A-Za-z][A-Za-z0-9_]*$") {
        $0.isName(marks: "_") ? nil : "must be letters, digits and underscores"
    }

    static let scopeName = TextRule(maxLength: 128, form: "a scope's name", pattern: "^[!#-\\[\\]-~]+$") {
        // RFC 6749 §3.3
        $0.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
            ? nil : "must be letters, digits and signs without a space, a quotation mark or a backslash"
    }

    static let language = TextRule(
        maxLength: 35,
        form: "a language such as `en`",
        pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$"
    ) {
        LanguageTag(rawValue: $0) == nil ? "must be a language such as en or pt-BR" : nil
    }

    static let checkNames: Shape = .list(.text(checkName), count: 0...16)

    private static let attribute: [Key] = [
        Key(
            required: "name",
            .text(.init(maxLength: 64, form: "an attribute's name")),
            "A built-in attribute, or `extension_` and a name of your own."
        ),
        Key(
            "type",
            .choice(AttributeRule.Kind.allCases.map(\.rawValue)),
            "What an answer is; that of the built-in attribute, else `string`."
        ),
        Key("required", .boolean, "Whether there must be an answer; `true` for the sign-in name, else `false`."),
        Key("verify", .boolean, "Whether a code proves the address; `true` if it is the sign-in name, else `false`."),
        Key("options", .list(.text(.init(maxLength: 250)), count: 0...100), default: "[]", "The only answers."),
        Key(
            "label",
            .dictionary(key: language, .text(.init(maxLength: 250)), count: 0...64),
            default: "{}",
            "What the person reads, by language."
        ),
        Key("minLength", .integer(0...1024), default: "0", "The fewest characters."),
        Key("maxLength", .integer(1...1024), "The most characters; that of the built-in attribute, else 250."),
        Key("pattern", .text(.init(maxLength: 512, form: "a regular expression")), "What the whole answer must match."),
    ]

    private static let claim: [Key] = [
        Key(required: "name", .text(.init(maxLength: 64, form: "an attribute's name")), "The attribute."),
        Key(
            "as",
            .text(
                .init(maxLength: 64, form: "a claim's name", pattern: "^[A-Za-z][A-Za-z0-9_.-]*$") {
                    $0.isName(marks: "_.-") ? nil : "must be letters, digits, `_`, `.` or `-`"
                }
            ),
            "Its name in tokens; if left out the usual one, so `displayName` is `name`."
        ),
    ]
}
