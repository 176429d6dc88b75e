"""Say what is wrong with the objects on standard input, by the schemas of KEDA and of the Kubernetes version that is
the argument. Run by the Python of `bootstrap.sh kubernetes`."""

import sys
from importlib import import_module

import yaml

kubernetes = import_module("kubernetes_validate")
keda = import_module("cloudcoil.models.keda.v1alpha1")
OTHERS = {"keda.sh/v1alpha1": keda}

for each in yaml.safe_load_all(sys.stdin):
    name = f"{each['kind']} {each['metadata']['name']}"
    group = each["apiVersion"]
    if group.startswith("security-profiles-operator."):
        continue  # nobody publishes its schema in a package
    try:
        if group in OTHERS:
            model = getattr(OTHERS[group], each["kind"]).model_validate(each)
            read = model.model_dump(by_alias=True, exclude_unset=True, mode="json")
            assert read == each, f"unknown fields: {each} is read as {read}"
        else:
            kubernetes.validate(each, sys.argv[1], strict=True)
    except (kubernetes.ValidationError, kubernetes.SchemaNotFoundError, ValueError, AssertionError) as error:
        print(f"{name}: {error}")
