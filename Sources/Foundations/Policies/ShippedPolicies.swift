/// The built-in policies, embedded from `policies/`, which the daemon uses if it has no policy folder.
///
/// `Shipped` is a symbolic link to `policies/`, because SwiftPM embeds only files in the target's folder.
public enum ShippedPolicies {
    /// The policy files and `checks.yaml`, with their paths and contents.
    public static let files: [PolicyCatalogue.File] = [
        file("b2c_1_edit_profile.yaml", PackageResources.b2c_1_edit_profile_yaml),
        file("b2c_1_facebook_sign_in.yaml", PackageResources.b2c_1_facebook_sign_in_yaml),
        file("b2c_1_password_reset.yaml", PackageResources.b2c_1_password_reset_yaml),
        file("b2c_1_sign_in.yaml", PackageResources.b2c_1_sign_in_yaml),
        file("b2c_1_sign_up.yaml", PackageResources.b2c_1_sign_up_yaml),
        file("b2c_1_sign_up_or_in.yaml", PackageResources.b2c_1_sign_up_or_in_yaml),
        file("b2c_1_step_up.yaml", PackageResources.b2c_1_step_up_yaml),
        file("checks.yaml", PackageResources.checks_yaml),
    ]

    private static func file(_ name: String, _ bytes: [UInt8]) -> PolicyCatalogue.File {
        .init(path: "policies/\(name)", text: String(decoding: bytes, as: UTF8.self))
    }
}
