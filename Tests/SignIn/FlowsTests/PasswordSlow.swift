import Credentials

/// A hasher that takes long enough for something to happen meanwhile.
enum PasswordSlow {
    static var hasher: PasswordHasher {
        PasswordHasher(parameters: Argon2Parameters(memory: 65_536, passes: 3, lanes: 1))
    }
}
