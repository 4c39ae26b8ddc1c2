import Foundation

/// A certificate that signed itself, of `localhost` and 127.0.0.1; its key opens nothing.
public enum LocalCertificate {
    /// The certificate, which is its own authority.
    public static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUCncC46/govrkFn+CZeyDkSGf+6MwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTEwMTAwNVoYDzIxMjYxMDI4
        MTAxMDA1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASl8S/vkbCjnKj7DbZqz+q8oKBmUler36ZO3rQQ4QiMp/hkg4G9UwLm
        rTavUOiV7wTB/aC8LaPcd2B1PAGQJjDjo28wbTAdBgNVHQ4EFgQUKamysE6Dry6s
        JvZH5TLAwGqX3/kwHwYDVR0jBBgwFoAUKamysE6Dry6sJvZH5TLAwGqX3/kwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIgSUBpYVZEz2YcAQBNZjxu/lNr5EwXfaBUXAEl+ojb9E4CIQCC
        O+CXlHxM8gL0FSUH+GKBfxrr/BPFOGmv6/s0gRGu2Q==
        -----END CERTIFICATE-----
        """

    private static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6pVp0iCcBato77FG
        +gKtJFL55HduJnpywAgKMSvgLlyhRANCAASl8S/vkbCjnKj7DbZqz+q8oKBmUler
        36ZO3rQQ4QiMp/hkg4G9UwLmrTavUOiV7wTB/aC8LaPcd2B1PAGQJjDj
        -----END PRIVATE KEY-----
        """

    /// Writes both into `folder`.
    ///
    /// - Returns: Their paths.
    public static func write(to folder: TemporaryFolder) throws -> (certificate: String, privateKey: String) {
        let paths = (certificate: folder.path("c.pem"), privateKey: folder.path("k.pem"))
        try Data(certificate.utf8).write(to: URL(fileURLWithPath: paths.certificate))
        try Data(privateKey.utf8).write(to: URL(fileURLWithPath: paths.privateKey))
        return paths
    }
}
