// Two runs of reduced axes with a kept one between them, as in BatchNorm over [N,C,L].
fn address(place: Place, step: u32) -> u32 {
  return place.base + (step / params.reduced_inner) * params.reduced_outer_stride
    + (step % params.reduced_inner) * params.reduced_stride;
}
