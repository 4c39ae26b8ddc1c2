import Credentials

/// Provides a hasher that is so slow that other events can happen while it runs.
enum PasswordSlow {
    static var hasher: PasswordHasher {
        PasswordHasher(parameters: Argon2Parameters(memory: 65_536, passes: 3, lanes: 1))
    }
}
