import Policies
import Testing

@Suite(.timeLimit(.minutes(2)))
struct PolicyRefusalTests {
    private static let kinds =
        "1: `kind` is missing; it must be one of sign-up, sign-in, sign-up-or-sign-in, profile-edit, "
        + "password-reset, social, step-up"
    private static let social =
        "1: `identityProviders` of a social policy must contain exactly one external provider"

    @Test(
        "an invalid policy is rejected with the line",
        arguments: [
            ("{}", Self.kinds),
            ("kind: social", Self.social),
            ("kind: profile-edit", "1: `attributes` is empty: specify the attributes that users can edit"),
            (
                "kind: profile-edit\nattributes: [{name: email}]",
                "2: attribute email identifies the user and cannot be edited"
            ),
            ("kind: password-reset", "`signInChecks` of a password reset must be of type emailCode"),
            ("kind: step-up", "1: `mandatoryScope` is empty: a step-up policy requires at least one check"),
            ("kind: step-up\nmandatoryScope: [Nope]", "2: unknown check Nope"),
            (
                "kind: step-up\nmandatoryScope: [UserLogin]\ntokens: {accessTokenLifetimeSec: 600}",
                "3: `tokens` has no effect in a step-up policy"
            ),
            (
                "kind: step-up\nmandatoryScope: [UserLogin]\nsignInChecks: [UserLogin]",
                "3: `signInChecks` has no effect in a step-up policy"
            ),
            (
                "kind: social\nidentityProviders: [a, b]",
                "2: `identityProviders` of a social policy must contain exactly one"
            ),
            ("kind: sign-in\nidentityProviders: [local, local]", "2: `identityProviders`: local is listed twice"),
            ("kind: sign-in\npolicy: x", "2: unknown key `policy`"),
            ("authority: contoso\npolicy: x\nkind: sign-in", "3: unknown key `kind`"),
            ("authority: contoso\npolicy: \"x/../y\"", "2: `policy` must be letters, digits, hyphens and underscores"),
            ("authority: contoso", "`policy` is missing"),
            ("kind: sign-in\nclaim: [oid]", "2: unknown key `claim`; did you mean `claims`?"),
            ("kind: sign-in\nextends: b2c_1_z", "2: `extends` refers to an unknown policy: b2c_1_z"),
            ("kind: sign-in\nextends: b2c_1_x", "2: `extends` has a cycle: b2c_1_x extends b2c_1_x"),
            ("kind: sign-in\nidentityProviders: [local, \"a b\"]", "must be letters, digits, dots, hyphens"),
            ("kind: sign-in\nsession: {scope: Tenant}", "did you mean tenant?"),
            ("kind: sign-in\nsignInChecks: []", "2: `signInChecks` is empty"),
            (
                "kind: sign-in\nsignInChecks: [PinCodeAttempts]",
                "2: unknown check PinCodeAttempts: checks.yaml does not"
            ),
            (
                "kind: sign-in\nscopes: {a: [Userlogin]}",
                "2: unknown check Userlogin: checks.yaml does not contain it; did you mean UserLogin?"
            ),
            ("kind: sign-in\nmandatoryScope: [Nope]", "2: unknown check Nope"),
            ("kind: sign-in\nscopes: {\"a b\": []}", "2: the name `scopes.a b` must be letters"),
            (
                "kind: sign-in\nsecondFactor: {when: always}",
                "2: `secondFactor.checks` is empty: specify at least one check"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: x}}",
                "2: `connectors.beforeToken.url` must be a URL that begins with https://"
            ),
            ("kind: sign-in\nconnectors: {beforeToken: {}}", "2: `connectors.beforeToken.url` is missing"),
            ("kind: sign-in\nconnectors: {beforeTokens: {}}", "did you mean `beforeToken`?"),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"http://a.example/\"}}",
                "2: `connectors.beforeToken.url` is an http URL, which is allowed for loopback addresses only"
            ),
            (
                "kind: sign-in\nconnectors: {beforeUserCreated: {url: \"https://a.example/\"}}",
                "2: `connectors.beforeUserCreated` has no effect: a policy of this kind creates no accounts"
            ),
            (
                "kind: sign-up\nconnectors: {afterFederation: {url: \"https://a.example/\"}}",
                "2: `connectors.afterFederation` has no effect: this policy uses no external provider"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"https://a.example/\", timeoutSec: 31}}",
                "2: `connectors.beforeToken.timeoutSec`"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"https://a.example/\", auth: {kind: token}}}",
                "2: `connectors.beforeToken.auth"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"https://a.example/\", auth: {kind: basic}}}",
                "2: `connectors.beforeToken.auth.passwordFile` is missing: `kind: basic` requires it"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"https://a.example/\", auth: {kind: bearer, tokenFile: t, username: u}}}",
                "2: `connectors.beforeToken.auth.username` is not for `kind: bearer`"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"https://a.example/\", auth: {kind: bearer, tokenFile: /nowhere/t}}}",
                "2: `connectors.beforeToken.auth.tokenFile`: /nowhere/t cannot be read"
            ),
            (
                "kind: sign-in\nconnectors: {beforeToken: {url: \"https://a.example/\", auth: {kind: clientCertificate, certificateFile: /nowhere/c, privateKeyFile: /nowhere/k}}}",
                "2: `connectors.beforeToken.auth.certificateFile`: /nowhere/c cannot be read"
            ),
            ("kind: sign-in\npages: {template: t.html}", "2: `t.html` must be the name of a readable .html file"),
            ("kind: sign-in\npages: {logo: ../a.png}", "2: `pages.logo`"),
            ("kind: sign-in\npages: {logo: missing.png}", "2: `missing.png` is a file that cannot be read"),
            ("kind: sign-in\npages: {background: missing.webp}", "2: `missing.webp` is a file that cannot be read"),
            (
                "kind: sign-in\nlanguages: {overrides: {de: {step.pasword.title: Rein}}}",
                "2: unknown page text step.pasword.title; did you mean step.password.title?"
            ),
            (
                "kind: sign-in\nlanguages: {overrides: {de: {refusal.noSuchFlow: Rein}}}",
                "2: unknown page text refusal.noSuchFlow"
            ),
            (
                "kind: sign-in\nlanguages: {overrides: {de: {step.code.lead: \"An {adresse}\"}}}",
                "2: the text step.code.lead has no placeholder {adresse}"
            ),
            ("kind: sign-in\npages: {colours: {accent: blue}}", "must be # and six hexadecimal digits"),
            ("kind: sign-in\nlanguages: {default: english}", "must be a language such as en or pt-BR"),
            ("kind: [sign-in", "this is not YAML"),
        ]
    )
    func keys(_ text: String, problem: String) { expect(text, problem) }

    @Test(
        "a number outside B2C's range is rejected with the range",
        arguments: [
            (
                "tokens: {accessTokenLifetimeSec: 299}",
                "2: `tokens.accessTokenLifetimeSec` is 299; it must be a whole number from 300 to 86400"
            ),
            ("tokens: {accessTokenLifetimeSec: 86401}", "from 300 to 86400"),
            ("tokens: {idTokenLifetimeSec: 1}", "from 300 to 86400"),
            ("tokens: {refreshTokenLifetimeSec: 86399}", "from 86400 to 7776000"),
            ("tokens: {slidingWindowSec: 31536001}", "from 86400 to 31536000"),
            (
                "tokens:\n  slidingWindowSec: 86400",
                "3: `tokens.slidingWindowSec` is less than `refreshTokenLifetimeSec`"
            ),
            ("session: {lifetimeSec: 899}", "from 900 to 86400"),
            ("session: {keepMeSignedInDays: 91}", "from 0 to 90"),
            ("password: {minLength: 3}", "from 4 to 256"),
            ("password: {maxLength: 257}", "from 4 to 256"),
            ("password: {strength: {classes: 5}}", "from 1 to 4"),
            ("password: {minLength: 20, maxLength: 10}", "`password.minLength` is more than `maxLength`"),
        ]
    )
    func ranges(_ text: String, problem: String) { expect("kind: sign-up\n" + text, problem) }

    @Test(
        "an invalid attribute or claim is rejected",
        arguments: [
            ("attributes:\n  - {name: citty}", "3: unknown attribute citty; did you mean city?"),
            ("attributes: [{name: city}, {name: city}]", "attribute city is listed twice"),
            ("attributes: [{name: city, type: int}]", "attribute city is of type string"),
            ("attributes: [{name: city, verify: true}]", "cannot be verified"),
            ("attributes: [{name: city, maxLength: 129}]", "at most 128 characters"),
            ("attributes: [{name: extension_a, maxLength: 251}]", "at most 250 characters"),
            ("attributes: [{name: extension_a, options: [x, x]}]", "has a duplicate option"),
            ("attributes: [{name: extension_a, options: [yes, no]}]", "put it in quotes"),
            ("attributes: [{name: extension_a, pattern: \"(\"}]", "not a valid regular expression"),
            ("attributes: [{name: extension_a, minLength: 9, maxLength: 8}]", "`minLength` is more than `maxLength`"),
            ("attributes: [{name: extension_a, type: email}]", "2: attribute extension_a cannot be of type email"),
            (
                "attributes: [{name: extension_a, input: checkboxes}]",
                "2: attribute extension_a: type string without options supports these inputs: text, textArea, readonly, paragraph"
            ),
            (
                "attributes: [{name: extension_a, options: [x], input: textArea}]",
                "with options supports these inputs: dropdown"
            ),
            ("attributes: [{name: extension_a, input: Radio}]", "did you mean radio?"),
            ("attributes: [{name: extension_a, input: readonly, required: true}]", "cannot be required or verified"),
            ("attributes: [{name: email, input: readonly}]", "2: attribute email is read-only"),
            ("attributes: [{name: extension_a, type: stringCollection}]", "so it requires `options`"),
            (
                "attributes: [{name: extension_a, type: stringCollection, options: [\"a,b\"]}]",
                "must not contain a comma"
            ),
            ("attributes: [{name: extension_a, type: int, options: [\"1\"]}]", "a string or a stringCollection"),
            (
                "attributes: [{name: extension_a, type: date, pattern: x}]",
                "`pattern` is for text, but the type is date"
            ),
            ("attributes: [{name: extension_a, options: [\"a\\tb\"]}]", "has control characters"),
            (
                "attributes: [{name: extension_a, maxLength: 9, options: [abc]}]",
                "2: attribute extension_a: `maxLength` has no effect with `options`: values are limited to the options; "
                    + "remove `maxLength`, or remove `options` to allow any text"
            ),
            (
                "attributes: [{name: extension_a, minLength: 0, options: [abc]}]",
                "`minLength` has no effect with `options`"
            ),
            (
                "attributes: [{name: city, pattern: \"a.*\", options: [abc]}]",
                "2: attribute city: `pattern` has no effect with `options`"
            ),
            (
                "attributes: [{name: extension_a, type: stringCollection, maxLength: 9, options: [abc]}]",
                "`maxLength` is for text, but the type is stringCollection"
            ),
            (
                "attributes: [{name: extension_a, type: int, maxLength: 3}]",
                "`maxLength` is for text, but the type is int"
            ),
            (
                "attributes: [{name: postalCode, options: [\"\(String(repeating: "x", count: 41))\"]}]",
                "is too long or contains control characters"
            ),
            (
                "attributes: [{name: extension_a, options: [{value: a, selected: true}, {value: b, selected: true}]}]",
                "two options are `selected`"
            ),
            ("attributes: [{name: extension_a, options: [{label: {en: X}}]}]", "`attributes[0].options[0]"),
            (
                "attributes: [{name: extension_a, validation: nope}]",
                "2: unknown validation nope: `validations` does not contain it"
            ),
            ("attributes: [{name: extension_a, type: int, validation: v}]", "unknown validation v"),
            (
                "predicates: {p: {method: isDateRange, to: today, help: {en: x}}}\nvalidations: {v: [{predicates: [p]}]}\n"
                    + "attributes: [{name: extension_a, validation: v}]",
                "4: attribute extension_a: the predicate p is for dates, but the value is text"
            ),
            (
                "predicates: {p: {method: isLengthRange, maxLength: 9, help: {en: x}}}\n"
                    + "validations: {v: [{predicates: [p]}]}\nattributes: [{name: extension_a, type: date, validation: v}]",
                "4: attribute extension_a: the predicate p is for text, but the value is a date"
            ),
            (
                "predicates: {p: {method: isLengthRange, maxLength: 9, help: {en: x}}}\n"
                    + "validations: {v: [{predicates: [p]}]}\nattributes: [{name: extension_a, type: int, validation: v}]",
                "4: attribute extension_a: `validation` is for text without options, and for dates"
            ),
            (
                "predicates: {p: {method: isDateRange, to: today, help: {en: x}}}\nvalidations: {v: [{predicates: [p]}]}\n"
                    + "password: {validation: v}",
                "4: `password`: the predicate p is for dates, but the value is text"
            ),
            ("password: {validation: v}", "2: unknown validation v"),
            ("attributes: [{name: email, required: false}]", "is the sign-in name, so it is required"),
            ("attributes: [{required: true}]", "`attributes[0].name` is missing"),
            ("signInName: username\nsignInChecks: [EmailCode]", "sign-up does not require `email`"),
            ("claims: [displyName]", "unknown claim displyName; did you mean displayName?"),
            ("claims: [{name: city, as: sub}]", "claim city cannot be called sub"),
            ("claims: [{name: city, as: oid}]", "claim city cannot be called oid"),
            ("claims: [{name: city, as: Sub}]", "claim city cannot be called Sub: tokens use that name"),
            (
                "claims: [{name: extension_mail, as: email}]",
                "2: claim extension_mail cannot be called email: that name is reserved for email"
            ),
            ("claims: [{name: city, as: preferred_username}]", "that name is reserved for username and email"),
            ("claims: [{name: city, as: idp}]", "that name is reserved for identityProvider"),
            ("claims: [{name: city, as: name}]", "that name is reserved for displayName"),
            ("claims: [{name: city, as: displayName}]", "that name is reserved for displayName"),
            ("claims: [{name: city, as: authBy}]", "claim city cannot be called authBy: tokens use that name"),
            ("claims: [{name: city, as: AUTHBY}]", "claim city cannot be called AUTHBY: tokens use that name"),
            ("claims: [{name: city, as: id}]", "claim city cannot be called id: tokens use that name"),
            ("claims: [{name: city, as: attributes}]", "claim city cannot be called attributes: tokens use that name"),
            ("claims: [{name: city, as: imf.user}]", "that name is reserved for imf.user"),
            (
                "claims: [{name: extension_roles, as: roles}]",
                "claim extension_roles cannot be called roles: programs would trust it although it is not verified"
            ),
            ("claims: [city, {name: country, as: city}]", "two claims are called city"),
        ]
    )
    func attributes(_ text: String, problem: String) { expect("kind: sign-up\n" + text, problem) }

    @Test(
        "an invalid predicate, validation or client scope is rejected with its line",
        arguments: [
            ("predicates: {p: {method: isLengthRange, minLength: 1}}", "`predicates.p.help` is missing"),
            ("predicates: {p: {help: {en: x}}}", "`predicates.p.method` is missing"),
            ("predicates: {p: {method: IsLength, help: {en: x}}}", "did you mean isLengthRange?"),
            (
                "predicates: {p: {method: isLengthRange, help: {en: x}}}",
                "2: `predicates.p`: `method: isLengthRange` requires `minLength` or `maxLength`"
            ),
            (
                "predicates: {p: {method: isLengthRange, minLength: 2, maxLength: 1, help: {en: x}}}",
                "2: `predicates.p.minLength` is more than `maxLength`"
            ),
            (
                "predicates:\n  p: {method: matchesRegex, pattern: \"(\", help: {en: x}}",
                "3: `predicates.p.pattern` is not a valid regular expression"
            ),
            (
                "predicates: {p: {method: matchesRegex, pattern: \"a)|(b\", help: {en: x}}}",
                "`predicates.p.pattern` is not a valid regular expression"
            ),
            (
                "predicates: {p: {method: includesCharacters, characters: z-a, help: {en: x}}}",
                "`predicates.p.characters` must be characters and ranges of them"
            ),
            (
                "predicates: {p: {method: includesCharacters, pattern: a, help: {en: x}}}",
                "2: `predicates.p.pattern` is not for `method: includesCharacters`"
            ),
            ("predicates: {p: {method: isDateRange, to: tomorrow, help: {en: x}}}", "`predicates.p.to`"),
            (
                "predicates: {p: {method: isDateRange, from: 2001-01-01, to: 2000-01-01, help: {en: x}}}",
                "`predicates.p.from` is later than `to`"
            ),
            ("validations: {v: [{predicates: [q]}]}", "2: unknown predicate q: `predicates` does not contain it"),
            ("validations: {v: []}", "`validations.v`"),
            (
                "predicates: {p: {method: matchesRegex, pattern: a, help: {en: x}}}\n"
                    + "validations: {v: [{predicates: [p], atLeast: 2}]}",
                "3: `atLeast` is more than the number of predicates in the group"
            ),
            (
                "predicates: {p: {method: matchesRegex, pattern: a, help: {en: x}}}\n"
                    + "validations: {v: [{predicates: [p, p]}]}",
                "3: a group of a validation has a duplicate predicate"
            ),
            ("clientScopes: {web: {a: [UserLogin]}}", "2: `clientScopes.web`: `scopes` does not grant a"),
            ("scopes: {a: []}\nclientScopes: {web: {a: []}}", "has 0 items; it must have at least 1"),
            ("scopes: {a: []}\nclientScopes: {web: {a: [Nope]}}", "3: unknown check Nope"),
            ("clientScopes: {\"a b\": {a: [UserLogin]}}", "must be a client id"),
        ]
    )
    func answers(_ text: String, problem: String) { expect("kind: sign-up\n" + text, problem) }

    @Test(
        "invalid checks are rejected with their line",
        arguments: [
            (
                "checks: {U: {type: password, maxAttempts: 0}}",
                "1: `checks.U.maxAttempts` is 0; it must be a whole number from 1 to 100"
            ),
            (
                "checks:\n  U: {type: password}\n  P: {type: customIdentityProvider}\n",
                "3: `checks.P.realm` is missing: a custom identity provider requires it"
            ),
            (
                "checks:\n  U: {type: password, minLength: 4}\n",
                "2: `checks.U.minLength` is for a PIN, but the check is a password"
            ),
            (
                "checks:\n  U: {type: emailCode, allowEnrolment: true}\n",
                "2: `checks.U.allowEnrolment` is for a credential that users enrol, but the check is a code"
            ),
            (
                "checks: {P: {type: pin, minLength: 3}}",
                "`checks.P.minLength` is 3; it must be a whole number from 4 to 12"
            ),
            ("checks: {P: {type: pin, digitsOnly: 1}}", "`checks.P.digitsOnly`"),
            (
                "checks:\n  P: {type: customIdentityProvider, realm: r, tenant: t, url: \"http://idp.example\"}\n",
                "2: `checks.P.url` is an http URL, which is allowed for loopback addresses only; use https"
            ),
            (
                "checks:\n  P: {type: pin, realm: r}\n",
                "2: `checks.P.realm` is for a custom identity provider or a signed assertion, but the check is a PIN"
            ),
            (
                "checks:\n  P: {type: assertion, realm: r, issuer: i, passHeaders: []}\n",
                "2: `checks.P.passHeaders` is for a custom identity provider, but the check is a signed assertion"
            ),
            (
                "checks:\n  P: {type: assertion, realm: r, issuer: i}\n",
                "2: `checks.P.publicKey` is missing: a signed assertion requires it"
            ),
            (
                "checks:\n  P: {type: assertion, realm: r, issuer: i, publicKey: \"-----BEGIN PUBLIC KEY-----\"}\n",
                "2: `checks.P.publicKey` must be an RSA public key of at least 2048 bits in PEM"
            ),
            (
                "checks:\n  P: {type: customIdentityProvider, realm: r, tenant: t, url: \"https://a.example\"}\n"
                    + "  Q: {type: customIdentityProvider, realm: r, tenant: t, url: \"https://b.example\"}\n",
                "3: `checks.Q.realm` is the realm of P, which has another provider"
            ),
            (
                "checks:\n  P: {type: customIdentityProvider, realm: a/b, tenant: t, url: \"https://idp.example\"}\n",
                "`checks.P.realm`"
            ),
            ("checks: {U: {}}", "`checks.U.type` is missing"),
            ("checks: {U: {type: password, maxAttempt: 3}}", "did you mean `maxAttempts`?"),
            ("checks: {U: {type: password, acr: 2}}", "put it in quotes"),
            ("checks: {U: {type: password, dailyLimit: 101}}", "from 1 to 100"),
            (
                "checks: {U: {type: password, maxAttempts: 5, dailyLimit: 4}}",
                "`checks.U.maxAttempts` is more than `dailyLimit`"
            ),
            (
                "checks: {U: {type: pin, rememberMeDurationSec: 60}}",
                "1: `checks.U.rememberMeDurationSec` is for a password, but the check is a PIN"
            ),
            (
                "checks: {U: {type: password, blockedStateExpirationSec: 100, blockedBackoff: {maxSec: 50}}}",
                "is less than the first block"
            ),
            ("checks: {U: {type: password}}\norder: {U: {after: [Nope]}}", "2: `order` lists an unknown check: Nope"),
            ("checks: {U: {type: password}}\norder: {U: {after: [U]}}", "2: `order` has a cycle"),
            (
                "checks: {U: {type: password}, A: {type: password}}\norder: {U: {after: [A]}, A: {after: [U]}}",
                "2: `order` has a cycle: U, A"
            ),
        ]
    )
    func checks(_ text: String, problem: String) {
        let (catalogue, problems) = load(["b2c_1_x": "kind: sign-in\n"], checks: text)
        #expect(catalogue == nil)
        #expect(problems.contains { $0.hasPrefix("p/checks.yaml:") && $0.contains(problem) }, "\(problems)")
    }

    private func expect(_ text: String, _ problem: String, at location: SourceLocation = #_sourceLocation) {
        let (catalogue, problems) = load(["b2c_1_x": text])
        #expect(catalogue == nil, sourceLocation: location)
        #expect(
            problems.contains { $0.hasPrefix("p/b2c_1_x.yaml:") && $0.contains(problem) },
            "\(problems)",
            sourceLocation: location
        )
    }
}
