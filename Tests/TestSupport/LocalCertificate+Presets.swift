extension LocalCertificate {
    private static let presets = """
        -----BEGIN CERTIFICATE-----
        MIICPzCCAeSgAwIBAgIUQBVVPxnzMXicpwqWftGPznUbddEwCgYIKoZIzj0EAwIw
        HzEdMBsGA1UEAwwUcHJlc2V0cyBvZiB0aGUgdGVzdHMwIBcNMjYxMTI1MjAxNjU3
        WhgPMjEyNjExMDEyMDE2NTdaMB8xHTAbBgNVBAMMFHByZXNldHMgb2YgdGhlIHRl
        c3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEpw9qh819ukYtQVaWxjFARMf6
        dZ6FalK84QL6LQXWzD23iovgqk7H0thGkFGaTyFKzvXQbVgwJuV7UFfrLFyk06OB
        +zCB+DAdBgNVHQ4EFgQUCeLlaiDrkV2TyhyDJoeCn549SfEwDwYDVR0TAQH/BAUw
        AwEB/zCBxQYDVR0RBIG9MIG6ghNhY2NvdW50cy5nb29nbGUuY29tghVvYXV0aDIu
        Z29vZ2xlYXBpcy5jb22CGWxvZ2luLm1pY3Jvc29mdG9ubGluZS5jb22CEHd3dy5m
        YWNlYm9vay5jb22CEmdyYXBoLmZhY2Vib29rLmNvbYIKZ2l0aHViLmNvbYIOYXBp
        LmdpdGh1Yi5jb22CC3R3aXR0ZXIuY29tgg9hcGkudHdpdHRlci5jb22CEWFwcGxl
        aWQuYXBwbGUuY29tMAoGCCqGSM49BAMCA0kAMEYCIQDU42R+r54Su69hm6MJs68g
        bVdvKMCaGp55XRGA2IQcWAIhAKOKc6vA8hRDz+VpsXv4ro+BqKzkY9fwP5tIFIUZ
        3P6c
        -----END CERTIFICATE-----
        """

    private static let presetsPrivateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgt2CrRRJ2AAqxSbVA
        LgA8BtCw+YPWxkzoQbuWE+DYLwyhRANCAASnD2qHzX26Ri1BVpbGMUBEx/p1noVq
        UrzhAvotBdbMPbeKi+CqTsfS2EaQUZpPIUrO9dBtWDAm5XtQV+ssXKTT
        -----END PRIVATE KEY-----
        """

    /// Writes a self-signed certificate for all hosts of the identity provider presets, and its key.
    ///
    /// - Returns: The paths of both files.
    public static func writePresets(to folder: TemporaryFolder) throws -> (certificate: String, privateKey: String) {
        try write(presets, presetsPrivateKey, to: folder)
    }
}
