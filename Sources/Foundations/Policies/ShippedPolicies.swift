/// The policies of a daemon without policies of its own: the files of `policies/`, word for word (a test compares
/// them).
public enum ShippedPolicies {
    /// The files, each with its path and content.
    public static let files: [PolicyCatalogue.File] = [
        .init(
            path: "policies/b2c_1_edit_profile.yaml",
            text: """
                # Lets people change what sign-up asked of them. Every key: docs/policies.md.
                kind: profile-edit
                displayName: Edit your profile
                signInName: email
                attributes:
                  - {name: displayName, required: true}
                  - {name: city}
                  - {name: extension_team, type: string, options: [red, blue], label: {en: Team, de: Mannschaft}}
                claims: [oid, displayName, email, {name: city, as: town}, extension_team]
                tokens: {accessTokenLifetimeSec: 3600, idTokenLifetimeSec: 3600, refreshTokenLifetimeSec: 1209600, slidingWindowSec: 7776000}
                session: {scope: tenant, type: rolling, lifetimeSec: 86400, keepMeSignedInDays: 0, requireIdTokenHintAtLogout: false}
                signInChecks: [UserLogin]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/b2c_1_facebook_sign_in.yaml",
            text: """
                # Signs people in with Facebook; unavailable until `identityProviders.facebook` is configured (docs/providers.md).
                # Every key: docs/policies.md.
                kind: social
                displayName: Sign in with Facebook
                identityProviders: [facebook]
                claims: [oid, displayName, email, identityProvider]
                tokens: {accessTokenLifetimeSec: 3600, idTokenLifetimeSec: 3600, refreshTokenLifetimeSec: 1209600, slidingWindowSec: 7776000}
                session: {scope: tenant, type: rolling, lifetimeSec: 86400, keepMeSignedInDays: 0, requireIdTokenHintAtLogout: false}
                signInChecks: [UserLogin]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/b2c_1_password_reset.yaml",
            text: """
                # Sets a new password, after a code by mail. Every key: docs/policies.md.
                kind: password-reset
                displayName: Reset your password
                signInName: email
                claims: [oid, displayName, email, {name: city, as: town}, extension_team]
                tokens: {accessTokenLifetimeSec: 3600, idTokenLifetimeSec: 3600, refreshTokenLifetimeSec: 1209600, slidingWindowSec: 7776000}
                session: {scope: tenant, type: rolling, lifetimeSec: 86400, keepMeSignedInDays: 0, requireIdTokenHintAtLogout: false}
                password: {strength: strong}
                signInChecks: [EmailCode]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/b2c_1_sign_in.yaml",
            text: """
                # Proves who a known user is. Every key: docs/policies.md.
                kind: sign-in
                displayName: Sign in
                signInName: email
                claims: [oid, displayName, email, {name: city, as: town}, extension_team]
                tokens: {accessTokenLifetimeSec: 3600, idTokenLifetimeSec: 3600, refreshTokenLifetimeSec: 1209600, slidingWindowSec: 7776000}
                session: {scope: tenant, type: rolling, lifetimeSec: 86400, keepMeSignedInDays: 0, requireIdTokenHintAtLogout: false}
                signInChecks: [UserLogin]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/b2c_1_sign_up.yaml",
            text: """
                # Makes a user. Every key: docs/policies.md.
                kind: sign-up
                displayName: Sign up
                signInName: email
                attributes:
                  - {name: email, required: true, verify: true}
                  - {name: displayName, required: true}
                  - {name: city}
                  - {name: extension_team, type: string, options: [red, blue], label: {en: Team, de: Mannschaft}}
                claims: [oid, displayName, email, {name: city, as: town}, extension_team]
                tokens: {accessTokenLifetimeSec: 3600, idTokenLifetimeSec: 3600, refreshTokenLifetimeSec: 1209600, slidingWindowSec: 7776000}
                session: {scope: tenant, type: rolling, lifetimeSec: 86400, keepMeSignedInDays: 0, requireIdTokenHintAtLogout: false}
                password: {strength: strong}
                signInChecks: [UserLogin]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/b2c_1_sign_up_or_in.yaml",
            text: """
                # Signs people up or in, as they choose. Every key: docs/policies.md.
                kind: sign-up-or-sign-in
                displayName: Sign up or sign in
                signInName: email
                attributes:
                  - {name: email, required: true, verify: true}
                  - {name: displayName, required: true}
                  - {name: city}
                  - {name: extension_team, type: string, options: [red, blue], label: {en: Team, de: Mannschaft}}
                claims: [oid, displayName, email, {name: city, as: town}, extension_team]
                tokens: {accessTokenLifetimeSec: 3600, idTokenLifetimeSec: 3600, refreshTokenLifetimeSec: 1209600, slidingWindowSec: 7776000}
                session: {scope: tenant, type: rolling, lifetimeSec: 86400, keepMeSignedInDays: 0, requireIdTokenHintAtLogout: false}
                password: {strength: strong}
                signInChecks: [UserLogin]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/b2c_1_step_up.yaml",
            text: """
                # Asks more of somebody who is signed in; tokens are issued under the policy of the session. Every key: docs/policies.md.
                kind: step-up
                displayName: Confirm who you are
                mandatoryScope: [PinCodeAttempts]
                scopes: {accessRestricted: [PinCodeAttempts], transferPrivilege: [UserLogin, PinCodeAttempts], tasks.read: [], tasks.write: []}

                """
        ),
        .init(
            path: "policies/checks.yaml",
            text: """
                # What a check asks and how many wrong answers it takes; once for all policies, so that none is the laxer door.
                # Every key: docs/policies.md.
                checks:
                  UserLogin: {type: password, maxAttempts: 3, blockedStateExpirationSec: 10, rememberMeDurationSec: 0}
                  EmailCode: {type: emailCode, maxAttempts: 5, blockedStateExpirationSec: 60}
                  PinCodeAttempts: {type: pin, maxAttempts: 3, attemptingStateExpirationSec: 120, successStateExpirationSec: 60, blockedStateExpirationSec: 60, minLength: 4, digitsOnly: true, allowEnrolment: true, share: uid, acr: "2", amr: [pin]}
                  Authenticator: {type: totp, maxAttempts: 5, blockedStateExpirationSec: 60, allowEnrolment: true, acr: "2", amr: [otp]}
                order:
                  EmailCode: {after: [UserLogin]}
                  PinCodeAttempts: {after: [UserLogin]}
                  Authenticator: {after: [UserLogin]}

                """
        ),
    ]
}
