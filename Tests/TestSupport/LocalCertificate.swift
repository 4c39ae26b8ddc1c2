import Foundation

/// A self-signed certificate for `localhost` and 127.0.0.1.
///
/// The private key is public, so it protects nothing.
public enum LocalCertificate {
    /// The certificate in PEM format, which is also its own certificate authority.
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

    /// A second certificate for the same names, with which tests replace the first certificate.
    public static let renewedCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUfyhNwI40vCvU0BWfATVyzppnQsMwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjE0MzgzMFoYDzIxMjYxMDI5
        MTQzODMwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAT7Ud9eiVz2Y3OMsT4ErGyn9jL1pQbKksW+tRxtrIJHNZzCH+OYuhwx
        IlZc7xKdMwuce7Y0Jd6AX/YKvR5fdrNco28wbTAdBgNVHQ4EFgQUT1JvVU7yGnOy
        5wKnmbBZGAsT2CgwHwYDVR0jBBgwFoAUT1JvVU7yGnOy5wKnmbBZGAsT2CgwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIhAKFzLPQL3XaKBLO14Wk3/U8KczfD2rRcklMA7sYgKPXKAiBn
        qHxCGX89rF8h16VTsLGp3B9dAPhzyTr1S3gaoNA4qA==
        -----END CERTIFICATE-----
        """

    private static let renewedPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXVpFhTvQorRiYiR3
        0Z5j04KN0xEEWib6LjEkFmrplO2hRANCAAT7Ud9eiVz2Y3OMsT4ErGyn9jL1pQbK
        ksW+tRxtrIJHNZzCH+OYuhwxIlZc7xKdMwuce7Y0Jd6AX/YKvR5fdrNc
        -----END PRIVATE KEY-----
        """

    private static let partnerCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBuTCCAV+gAwIBAgIUKp5WOLzD1em6+gt55WNeIfSXVVUwCgYIKoZIzj0EAwIw
        IDEeMBwGA1UEAwwVbG9naW4ucGFydG5lci5leGFtcGxlMCAXDTI2MTEyMzIzMDQy
        M1oYDzIxMjYxMDMwMjMwNDIzWjAgMR4wHAYDVQQDDBVsb2dpbi5wYXJ0bmVyLmV4
        YW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASJn/BKJBxPgxlQxRWf27al
        nskj/UH2K24YwkOLyTQLYhMGoyCew5pN6oMuZvHg/AwTIbHPVwoGcenT3xOLPJmQ
        o3UwczAdBgNVHQ4EFgQUsO/KRVHEyVXfNBRdBFPYe9rJZE8wHwYDVR0jBBgwFoAU
        sO/KRVHEyVXfNBRdBFPYe9rJZE8wIAYDVR0RBBkwF4IVbG9naW4ucGFydG5lci5l
        eGFtcGxlMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhANe7EzBf
        o5w//TQV+g1yfGRbHVDsStUmAMPxoy1D8tfCAiAKNd9aQDSq8KMTt8pJmFHXJmwZ
        jO48r78ksf0H47TYNA==
        -----END CERTIFICATE-----
        """

    private static let partnerPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnu0ryF7nHIx39OtA
        bd0daIeWV1rQBUfcxTSj8n0ANSqhRANCAASJn/BKJBxPgxlQxRWf27alnskj/UH2
        K24YwkOLyTQLYhMGoyCew5pN6oMuZvHg/AwTIbHPVwoGcenT3xOLPJmQ
        -----END PRIVATE KEY-----
        """

    /// Writes a self-signed certificate for `login.partner.example`, and its key.
    ///
    /// - Returns: The paths of both files.
    public static func writePartner(to folder: TemporaryFolder) throws -> (certificate: String, privateKey: String) {
        try write(partnerCertificate, partnerPrivateKey, to: folder)
    }

    /// Writes the certificate and its key to `folder`.
    ///
    /// - Returns: The paths of both files.
    public static func write(to folder: TemporaryFolder) throws -> (certificate: String, privateKey: String) {
        try write(certificate, privateKey, to: folder)
    }

    /// Replaces the certificate and the key in `folder` with ``renewedCertificate`` and its key.
    @discardableResult
    public static func renew(in folder: TemporaryFolder) throws -> (certificate: String, privateKey: String) {
        try write(renewedCertificate, renewedPrivateKey, to: folder)
    }

    static func write(
        _ certificate: String,
        _ privateKey: String,
        to folder: TemporaryFolder
    ) throws -> (certificate: String, privateKey: String) {
        let paths = (certificate: folder.path("c.pem"), privateKey: folder.path("k.pem"))
        try Data(certificate.utf8).write(to: URL(fileURLWithPath: paths.certificate))
        try Data(privateKey.utf8).write(to: URL(fileURLWithPath: paths.privateKey))
        return paths
    }
}
